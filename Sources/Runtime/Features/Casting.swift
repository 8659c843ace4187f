import CKernels
import CoreMLKernels
import MIL

/// Bulk conversion between element types at the border of the API: floats to integers truncate toward zero and saturate.
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

  /// The same into the dense memory of a multi-array, whose elements nothing else need hold; false where there is no such conversion.
  static func convert(_ tensor: Tensor, to target: UnsafeMutableRawPointer, _ type: MLMultiArrayDataType) -> Bool {
    guard let from = CKType.code(tensor.scalar), let to = CKType.code(type.scalar) else { return false }
    return withExtendedLifetime(tensor) { ck_cast(from, to, tensor.storage.pointer, target, tensor.count) }
  }

  /// The same for multi-array elements in dense memory; of equal size, the two may be one.
  static func convert(
    _ source: UnsafeRawPointer, _ from: MLMultiArrayDataType, to target: UnsafeMutableRawPointer,
    _ to: MLMultiArrayDataType, count: Int
  ) {
    guard let from = CKType.code(from.scalar), let to = CKType.code(to.scalar) else { return }
    _ = ck_cast(from, to, source, target, count)
  }
}
