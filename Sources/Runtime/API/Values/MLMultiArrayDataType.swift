/// The element types of an `MLMultiArray`. Raw values are those of `ArrayDataType` in the Core ML specification.
public enum MLMultiArrayDataType: Int, Sendable, CaseIterable {
  /// 64-bit floating point.
  case double = 0x10040
  /// 32-bit floating point.
  case float32 = 0x10020
  /// 16-bit floating point.
  case float16 = 0x10010
  /// 32-bit signed integer.
  case int32 = 0x20020
  /// 8-bit signed integer.
  case int8 = 0x20008

  /// A synonym of `double`.
  public static var float64: MLMultiArrayDataType { .double }
  /// A synonym of `float32`.
  public static var float: MLMultiArrayDataType { .float32 }

  /// The name in descriptions.
  var title: String {
    switch self {
    case .double: "Double"
    case .float32: "Float32"
    case .float16: "Float16"
    case .int32: "Int32"
    case .int8: "Int8"
    }
  }

  /// The size of an element in bytes.
  var size: Int {
    switch self {
    case .double: 8
    case .float32, .int32: 4
    case .float16: 2
    case .int8: 1
    }
  }
}
