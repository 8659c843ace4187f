/// Options of the generated Swift code.
package struct SwiftOptions: Sendable {
  package enum Access: String, Sendable, CaseIterable { case `internal`, `public` }
  /// Where a program finds its compiled model.
  package enum Container: String, Sendable, CaseIterable {
    /// `Bundle(for:)`, as Xcode's classes do.
    case classBundle
    /// `Bundle.module`, the resources of a Swift package's target.
    case moduleBundle
  }

  package var access = Access.internal
  package var container = Container.classBundle
  /// The language mode of the generated code. Code for mode 5 also builds in mode 6. Code for mode 6 uses `any`, and
  /// its classes are `Sendable`.
  package var languageMode = 5
  /// Whether a classifier's labels become an enumeration.
  package var labelEnumerations = false

  package init() {}
}
