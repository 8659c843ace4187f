import MIL

/// The version of the operation set for which a function is written. The importer rewrites every operation to the
/// semantics of the newest version, so type rules and kernels do not depend on versions.
package enum Opset: String, Sendable, Comparable, CaseIterable {
  case iOS13 = "CoreML3"
  case iOS14 = "CoreML4"
  case iOS15 = "CoreML5"
  case iOS16 = "CoreML6"
  case iOS17 = "CoreML7"
  case iOS18 = "CoreML8"
  case iOS26 = "CoreML9"

  package static func < (a: Opset, b: Opset) -> Bool { a.rawValue < b.rawValue }

  /// Rewrites an operation of this opset to the semantics of the newest one.
  func normalise(_ operation: inout Operation) throws {
    if operation.type == "const" || operation.isConstexpr {
      // `const` has its literal as an attribute, and the iOS16 `constexpr_*` operations have their parameters as
      // attributes.
      for (name, value) in operation.attributes where operation.inputs[name] == nil {
        operation.inputs[name] = [.literal(value)]
        operation.attributes[name] = nil
      }
      try CompressionEncodings.normalise(&operation)
    }
  }
}
