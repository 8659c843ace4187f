/// The element types of an `MLMultiArray`; raw values are the specification's `ArrayDataType`.
public enum MLMultiArrayDataType: Int, Sendable, CaseIterable {
  /// Double-precision numbers, of 8 bytes.
  case double = 0x10040
  /// Single-precision numbers, of 4 bytes.
  case float32 = 0x10020
  /// Half-precision numbers, of 2 bytes.
  case float16 = 0x10010
  /// Whole numbers with a sign, of 4 bytes.
  case int32 = 0x20020
  /// Whole numbers with a sign, of 1 byte.
  case int8 = 0x20008

  /// Another name of `double`.
  public static var float64: MLMultiArrayDataType { .double }
  /// Another name of `float32`.
  public static var float: MLMultiArrayDataType { .float32 }

  /// The word that descriptions have for it.
  var title: String {
    switch self {
    case .double: "Double"
    case .float32: "Float32"
    case .float16: "Float16"
    case .int32: "Int32"
    case .int8: "Int8"
    }
  }

  /// Bytes of one element.
  var size: Int {
    switch self {
    case .double: 8
    case .float32, .int32: 4
    case .float16: 2
    case .int8: 1
    }
  }
}
