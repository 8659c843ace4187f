/// Which tensors of a launch are fp16. Kernels widen them on load, compute in fp32, and round what they store.
package struct F16Operands: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let none: F16Operands = []
  /// Operands in the order of the kernel's tensors.
  package static let first = F16Operands(rawValue: 1)
  package static let second = F16Operands(rawValue: 2)
  package static let third = F16Operands(rawValue: 4)
  package static let fourth = F16Operands(rawValue: 8)
  package static let fifth = F16Operands(rawValue: 16)
  /// The tensor that is added to a result.
  package static let add = F16Operands(rawValue: 32)
  package static let result = F16Operands(rawValue: 64)

  /// The flags for a kernel that takes the second tensor first.
  var swapped: F16Operands {
    var swapped = subtracting([.first, .second])
    if contains(.first) { swapped.insert(.second) }
    if contains(.second) { swapped.insert(.first) }
    return swapped
  }

  /// The value of a definition that states whether a tensor is fp16.
  func flag(_ tensor: F16Operands) -> String { contains(tensor) ? "1" : "0" }

  /// Definitions for kernels with one operand and one result.
  var definitions: [String: String] { ["HALF_X": flag(.first), "HALF_Y": flag(.result)] }

  /// Memory of `count` elements of the tensor's type.
  func numbers(_ name: String, _ count: Int, _ tensor: F16Operands) -> OpenCLParameter {
    .memory(name, count: count, size: contains(tensor) ? 2 : 4)
  }
}
