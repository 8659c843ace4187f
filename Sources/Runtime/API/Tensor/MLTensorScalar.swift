import MIL

/// A number type or `Bool`, as the element type of a tensor.
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

/// Maps element types of tensors between Swift and MIL.
enum TensorScalars {
  private static let all: [(scalar: ScalarType, type: any MLTensorScalar.Type)] = [
    (.float32, Float.self), (.float16, Float16.self), (.int8, Int8.self), (.int16, Int16.self), (.int32, Int32.self),
    (.uint8, UInt8.self), (.uint16, UInt16.self), (.uint32, UInt32.self), (.bool, Bool.self),
  ]

  /// - Precondition: the type is one of the types in this file; conformances outside the module are not supported.
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

  /// The result type of an operation on two types: floating point before integers before booleans, and the wider one of
  /// two types of a kind.
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
