import MIL

/// A number, or a truth value, that a tensor can be made of.
public protocol MLTensorScalar: Sendable {}

extension Float: MLTensorScalar {}
extension Float16: MLTensorScalar {}
extension Int8: MLTensorScalar {}
extension Int16: MLTensorScalar {}
extension Int32: MLTensorScalar {}
extension UInt8: MLTensorScalar {}
extension UInt16: MLTensorScalar {}
extension UInt32: MLTensorScalar {}
extension Bool: MLTensorScalar {}

/// The element types of tensors, in the words of the language and of Swift.
enum TensorScalars {
  private static let all: [(scalar: ScalarType, type: any MLTensorScalar.Type)] = [
    (.float32, Float.self), (.float16, Float16.self), (.int8, Int8.self), (.int16, Int16.self), (.int32, Int32.self),
    (.uint8, UInt8.self), (.uint16, UInt16.self), (.uint32, UInt32.self), (.bool, Bool.self),
  ]

  /// - Precondition: the type is one that tensors are made of; other types cannot join them.
  static func scalar(_ type: any MLTensorScalar.Type) -> ScalarType {
    guard let known = all.first(where: { $0.type == type }) else {
      preconditionFailure("a tensor cannot be made of \(type)")
    }
    return known.scalar
  }

  static func type(_ scalar: ScalarType) -> any MLTensorScalar.Type {
    all.first { $0.scalar == scalar }?.type ?? Float.self
  }

  static func isKnown(_ scalar: ScalarType) -> Bool { all.contains { $0.scalar == scalar } }

  /// The type of what is calculated of two: floats before integers before truth values, the wider of two of a kind.
  static func common(_ one: ScalarType, _ other: ScalarType) -> ScalarType {
    func rank(_ type: ScalarType) -> Int {
      (type.isFloat ? 1000 : type == .bool ? 0 : 100) + type.bitWidth * 2 + (type.isSigned ? 1 : 0)
    }
    if one.isInteger, other.isInteger, one.isSigned != other.isSigned, one.bitWidth == other.bitWidth {
      return one.bitWidth == 8 ? .int16 : .int32
    }
    return rank(one) >= rank(other) ? one : other
  }
}
