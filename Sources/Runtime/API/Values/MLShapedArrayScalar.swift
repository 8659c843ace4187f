/// A number that a shaped array can be made of: `Float`, `Double`, `Float16`, `Int32` and `Int8` are.
///
/// A type of one's own must be laid out in memory as the multi-array type that it names; making an array of one that is not as
/// wide is a precondition failure.
public protocol MLShapedArrayScalar {
  /// The element type of a multi-array of such numbers.
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
