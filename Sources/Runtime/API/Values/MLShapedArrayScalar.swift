/// The element type of a shaped array: `Float`, `Double`, `Float16`, `Int32` and `Int8`.
///
/// A custom type must have the same memory layout as the multi-array type that it returns. Creating an array of a type
/// with another size is a precondition failure.
public protocol MLShapedArrayScalar {
  /// The multi-array element type with the same memory layout.
  static var multiArrayDataType: MLMultiArrayDataType { get }
}

extension Float: MLShapedArrayScalar {
  public static var multiArrayDataType: MLMultiArrayDataType { .float32 }
}

extension Double: MLShapedArrayScalar {
  public static var multiArrayDataType: MLMultiArrayDataType { .double }
}

extension Float16: MLShapedArrayScalar {
  public static var multiArrayDataType: MLMultiArrayDataType { .float16 }
}

extension Int32: MLShapedArrayScalar {
  public static var multiArrayDataType: MLMultiArrayDataType { .int32 }
}

extension Int8: MLShapedArrayScalar {
  public static var multiArrayDataType: MLMultiArrayDataType { .int8 }
}
