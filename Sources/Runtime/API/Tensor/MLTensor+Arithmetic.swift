import MIL

// Arithmetic element by element. Shapes broadcast; operands of two types meet in the wider one.
extension MLTensor {
  // MARK: +

  /// The sum of elements.
  public static func + (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("add", lhs, rhs) }

  /// The sum of each element and a number.
  public static func + <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs + lhs.number(rhs)
  }

  /// The sum of a number and each element.
  public static func + <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) + rhs
  }

  /// The sum of elements, kept in the first operand.
  public static func += (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs + rhs }

  /// The sum of each element and a number, kept in the first operand.
  public static func += <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs + rhs }

  // MARK: -

  /// The difference of elements.
  public static func - (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("sub", lhs, rhs) }

  /// The difference of each element and a number.
  public static func - <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs - lhs.number(rhs)
  }

  /// The difference of a number and each element.
  public static func - <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) - rhs
  }

  /// The difference of elements, kept in the first operand.
  public static func -= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs - rhs }

  /// The difference of each element and a number, kept in the first operand.
  public static func -= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs - rhs }

  // MARK: *

  /// The product of elements.
  public static func * (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("mul", lhs, rhs) }

  /// The product of each element and a number.
  public static func * <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs * lhs.number(rhs)
  }

  /// The product of a number and each element.
  public static func * <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) * rhs
  }

  /// The product of elements, kept in the first operand.
  public static func *= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs * rhs }

  /// The product of each element and a number, kept in the first operand.
  public static func *= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs * rhs }

  // MARK: /

  /// The quotient of elements. Integers are divided toward zero.
  public static func / (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("real_div", lhs, rhs) }

  /// The quotient of each element and a number. Integers are divided toward zero.
  public static func / <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs / lhs.number(rhs)
  }

  /// The quotient of a number and each element. Integers are divided toward zero.
  public static func / <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) / rhs
  }

  /// The quotient of elements, kept in the first operand. Integers are divided toward zero.
  public static func /= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs / rhs }

  /// The quotient of each element and a number, kept in the first operand. Integers are divided toward zero.
  public static func /= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs / rhs }

  // MARK: %

  /// The remainder of elements. It has the sign of the divisor.
  public static func % (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("mod", lhs, rhs) }

  /// The remainder of each element and a number. It has the sign of the divisor.
  public static func % <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs % lhs.number(rhs)
  }

  /// The remainder of a number and each element. It has the sign of the divisor.
  public static func % <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) % rhs
  }

  /// The remainder of elements, kept in the first operand. It has the sign of the divisor.
  public static func %= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs % rhs }

  /// The remainder of each element and a number, kept in the first operand. It has the sign of the divisor.
  public static func %= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs % rhs }

  // MARK: signs and powers

  /// Each element with the other sign.
  public static prefix func - (operand: MLTensor) -> MLTensor { operand * operand.number(Int8(-1)) }

  /// Each element to the power of its counterpart.
  public func pow(_ exponent: MLTensor) -> MLTensor { MLTensor.arithmetic("pow", self, exponent) }

  /// Each element to the power of a number.
  public func pow<Scalar: MLTensorScalar & Numeric>(_ exponent: Scalar) -> MLTensor { pow(number(exponent)) }

  /// A number as an operand of this tensor: of its type, unless that has no room for it.
  func number<Scalar: MLTensorScalar>(_ value: Scalar) -> MLTensor {
    let own = MLTensor(value)
    if scalar.isFloat || scalar.isInteger && own.scalar.isInteger { return MLTensor(constant: value, scalar) ?? own }
    return own
  }

  /// Nil where the type has no room for the number.
  private init?<Scalar: MLTensorScalar>(constant value: Scalar, _ type: ScalarType) {
    let number: Double
    switch value {
    case let value as any BinaryFloatingPoint: number = Double(value)
    case let value as any BinaryInteger: number = Double(value)
    case let value as Bool: number = value ? 1 : 0
    default: return nil
    }
    if let range = type.integerRange, !range.contains(number) { return nil }
    guard let tensor = try? Tensor(type, shape: [], doubles: [number]) else { return nil }
    self.init(tensor)
  }
}
