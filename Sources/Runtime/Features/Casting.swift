import CKernels
import CoreMLKernels
import MIL

/// Bulk conversion between element types at the API boundary. Floating-point values are truncated toward zero to
/// integers and saturate.
enum Casting {
  static func converted(_ tensor: Tensor, to scalar: ScalarType) throws -> Tensor {
    guard scalar != tensor.scalar else { return tensor }
    guard let from = CKType.code(tensor.scalar), let to = CKType.code(scalar) else {
      return try tensor.converted(to: scalar)
    }
    let result = try Tensor.zeros(scalar, shape: tensor.shape)
    guard let target = result.storage.mutablePointer else { return result }
    guard withExtendedLifetime(tensor, { ck_cast(from, to, tensor.storage.pointer, target, tensor.count) }) else {
      return try tensor.converted(to: scalar)
    }
    return result
  }

  /// Converts elements in contiguous memory. Source and target may be the same if the element sizes are equal. Returns
  /// false if there is no such conversion.
  @discardableResult
  static func convert(
    _ source: UnsafeRawPointer, _ from: ScalarType, to target: UnsafeMutableRawPointer, _ to: ScalarType, count: Int
  ) -> Bool {
    guard let from = CKType.code(from), let to = CKType.code(to) else { return false }
    return ck_cast(from, to, source, target, count)
  }
}
