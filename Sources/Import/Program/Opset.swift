import MIL

/// The version of the operation set that a function is written for, and what differs between them: every operation is
/// rewritten once, at import, to the newest meaning, so no rule or kernel knows of versions.
package enum Opset: String, Sendable, Comparable, CaseIterable {
  case iOS13 = "CoreML3"
  case iOS14 = "CoreML4"
  case iOS15 = "CoreML5"
  case iOS16 = "CoreML6"
  case iOS17 = "CoreML7"
  case iOS18 = "CoreML8"
  case iOS26 = "CoreML9"

  package static func < (a: Opset, b: Opset) -> Bool { a.rawValue < b.rawValue }

  /// Rewrites an operation of this opset to the newest meaning.
  func normalise(_ operation: inout Operation) throws {
    if operation.type == "const" || operation.type.hasPrefix("constexpr_") {
      // `const` carries its literal, and the iOS16 `constexpr_*` their parameters, as attributes.
      for (name, value) in operation.attributes where operation.inputs[name] == nil {
        operation.inputs[name] = [.literal(value)]
        operation.attributes[name] = nil
      }
      try CompressionEncodings.normalise(&operation)
    }
  }
}
