import CKernels
import MIL

/// Bulk conversion between element types at the border of the API: floats to integers truncate toward zero and saturate.
enum Casting {
  static func converted(_ tensor: Tensor, to scalar: ScalarType) throws -> Tensor {
    guard scalar != tensor.scalar else { return tensor }
    guard let from = code(tensor.scalar), let to = code(scalar) else { return try tensor.converted(to: scalar) }
    let result = try Tensor.zeros(scalar, shape: tensor.shape)
    guard let target = result.storage.mutablePointer else { return result }
    guard withExtendedLifetime(tensor, { ck_cast(from, to, tensor.storage.pointer, target, tensor.count) }) else {
      return try tensor.converted(to: scalar)
    }
    return result
  }

  /// The same for multi-array elements in dense memory; of equal size, the two may be one.
  static func convert(
    _ source: UnsafeRawPointer, _ from: MLMultiArrayDataType, to target: UnsafeMutableRawPointer,
    _ to: MLMultiArrayDataType, count: Int
  ) {
    guard let from = code(from.scalar), let to = code(to.scalar) else { return }
    _ = ck_cast(from, to, source, target, count)
  }

  private static func code(_ scalar: ScalarType) -> ck_type? {
    switch scalar {
    case .float16: CK_TYPE_F16
    case .float32: CK_TYPE_F32
    case .float64: CK_TYPE_F64
    case .int8: CK_TYPE_I8
    case .uint8: CK_TYPE_U8
    case .int16: CK_TYPE_I16
    case .uint16: CK_TYPE_U16
    case .int32: CK_TYPE_I32
    case .uint32: CK_TYPE_U32
    case .int64: CK_TYPE_I64
    case .uint64: CK_TYPE_U64
    case .bool: CK_TYPE_BOOL
    default: nil
    }
  }
}
