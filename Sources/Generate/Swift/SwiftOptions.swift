/// How Swift is written.
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
  /// The language mode that the code is for. Sources of mode 5 build in mode 6 too; those of 6 say `any`, and their classes are `Sendable`.
  package var languageMode = 5
  /// Whether classes of a classifier are an enumeration.
  package var labelEnumerations = false

  package init() {}
}
