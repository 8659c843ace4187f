import MIL

// Elementwise arithmetic. Shapes broadcast; operands of two types are converted to the wider type.
extension MLTensor {
  // MARK: +

  /// The elementwise sum.
  public static func + (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("add", lhs, rhs) }

  /// The sum of each element and a number.
  public static func + <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs + lhs.number(rhs)
  }

  /// The sum of a number and each element.
  public static func + <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) + rhs
  }

  /// Stores the elementwise sum in the first operand.
  public static func += (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs + rhs }

  /// Stores the sum of each element and a number in the first operand.
  public static func += <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs + rhs }

  // MARK: -

  /// The elementwise difference.
  public static func - (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("sub", lhs, rhs) }

  /// The difference of each element and a number.
  public static func - <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs - lhs.number(rhs)
  }

  /// The difference of a number and each element.
  public static func - <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) - rhs
  }

  /// Stores the elementwise difference in the first operand.
  public static func -= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs - rhs }

  /// Stores the difference of each element and a number in the first operand.
  public static func -= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs - rhs }

  // MARK: *

  /// The elementwise product.
  public static func * (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("mul", lhs, rhs) }

  /// The product of each element and a number.
  public static func * <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs * lhs.number(rhs)
  }

  /// The product of a number and each element.
  public static func * <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) * rhs
  }

  /// Stores the elementwise product in the first operand.
  public static func *= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs * rhs }

  /// Stores the product of each element and a number in the first operand.
  public static func *= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs * rhs }

  // MARK: /

  /// The elementwise quotient. Integer division truncates toward zero.
  public static func / (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("real_div", lhs, rhs) }

  /// The quotient of each element and a number. Integer division truncates toward zero.
  public static func / <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs / lhs.number(rhs)
  }

  /// The quotient of a number and each element. Integer division truncates toward zero.
  public static func / <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) / rhs
  }

  /// Stores the elementwise quotient in the first operand. Integer division truncates toward zero.
  public static func /= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs / rhs }

  /// Stores the quotient of each element and a number in the first operand. Integer division truncates toward zero.
  public static func /= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs / rhs }

  // MARK: %

  /// The elementwise remainder. It has the sign of the divisor.
  public static func % (lhs: MLTensor, rhs: MLTensor) -> MLTensor { arithmetic("mod", lhs, rhs) }

  /// The remainder of each element and a number. It has the sign of the divisor.
  public static func % <Scalar: MLTensorScalar & Numeric>(lhs: MLTensor, rhs: Scalar) -> MLTensor {
    lhs % lhs.number(rhs)
  }

  /// The remainder of a number and each element. It has the sign of the divisor.
  public static func % <Scalar: MLTensorScalar & Numeric>(lhs: Scalar, rhs: MLTensor) -> MLTensor {
    rhs.number(lhs) % rhs
  }

  /// Stores the elementwise remainder in the first operand. It has the sign of the divisor.
  public static func %= (lhs: inout MLTensor, rhs: MLTensor) { lhs = lhs % rhs }

  /// Stores the remainder of each element and a number in the first operand. It has the sign of the divisor.
  public static func %= <Scalar: MLTensorScalar & Numeric>(lhs: inout MLTensor, rhs: Scalar) { lhs = lhs % rhs }

  // MARK: signs and powers

  /// Negates each element.
  public static prefix func - (operand: MLTensor) -> MLTensor { operand * operand.number(Int8(-1)) }

  /// Raises each element to the power of the corresponding element.
  public func pow(_ exponent: MLTensor) -> MLTensor { MLTensor.arithmetic("pow", self, exponent) }

  /// Raises each element to the power of a number.
  public func pow<Scalar: MLTensorScalar & Numeric>(_ exponent: Scalar) -> MLTensor { pow(number(exponent)) }

  /// Converts a number to an operand of this tensor: a tensor of this tensor's type, unless that type cannot represent
  /// the number.
  func number<Scalar: MLTensorScalar>(_ value: Scalar) -> MLTensor {
    let own = MLTensor(value)
    if scalar.isFloat || scalar.isInteger && own.scalar.isInteger { return MLTensor(constant: value, scalar) ?? own }
    return own
  }

  /// Returns nil if the type cannot represent the number.
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
