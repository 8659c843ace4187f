infix operator .== : ComparisonPrecedence
infix operator .!= : ComparisonPrecedence
infix operator .> : ComparisonPrecedence
infix operator .>= : ComparisonPrecedence
infix operator .< : ComparisonPrecedence
infix operator .<= : ComparisonPrecedence
infix operator .& : LogicalConjunctionPrecedence
infix operator .| : LogicalDisjunctionPrecedence
infix operator .^ : LogicalDisjunctionPrecedence
prefix operator .!

// Comparisons and logic element by element: truth values come out. Shapes broadcast; operands of two types meet in the wider one.
extension MLTensor {
  /// Whether the elements are equal.
  public static func .== (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("equal", lhs, rhs) }

  /// Whether each element and a number are equal.
  public static func .== <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .== lhs.number(rhs) }

  /// Whether a number and each element are equal.
  public static func .== <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .== rhs }

  /// Whether the elements differ.
  public static func .!= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("not_equal", lhs, rhs) }

  /// Whether each element and a number differ.
  public static func .!= <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .!= lhs.number(rhs) }

  /// Whether a number and each element differ.
  public static func .!= <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .!= rhs }

  /// Whether the elements are in falling order.
  public static func .> (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("greater", lhs, rhs) }

  /// Whether each element and a number are in falling order.
  public static func .> <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .> lhs.number(rhs) }

  /// Whether a number and each element are in falling order.
  public static func .> <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .> rhs }

  /// Whether the elements are not in rising order.
  public static func .>= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("greater_equal", lhs, rhs) }

  /// Whether each element and a number are not in rising order.
  public static func .>= <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .>= lhs.number(rhs) }

  /// Whether a number and each element are not in rising order.
  public static func .>= <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .>= rhs }

  /// Whether the elements are in rising order.
  public static func .< (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("less", lhs, rhs) }

  /// Whether each element and a number are in rising order.
  public static func .< <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .< lhs.number(rhs) }

  /// Whether a number and each element are in rising order.
  public static func .< <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .< rhs }

  /// Whether the elements are not in falling order.
  public static func .<= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("less_equal", lhs, rhs) }

  /// Whether each element and a number are not in falling order.
  public static func .<= <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .<= lhs.number(rhs) }

  /// Whether a number and each element are not in falling order.
  public static func .<= <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .<= rhs }

  /// Whether both elements are true.
  public static func .& (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    operation("logical_and", ["x": .tensor(lhs.cast(.bool)), "y": .tensor(rhs.cast(.bool))])
  }

  /// Whether one of the elements is true.
  public static func .| (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    operation("logical_or", ["x": .tensor(lhs.cast(.bool)), "y": .tensor(rhs.cast(.bool))])
  }

  /// Whether just one of the elements is true.
  public static func .^ (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    operation("logical_xor", ["x": .tensor(lhs.cast(.bool)), "y": .tensor(rhs.cast(.bool))])
  }

  /// Whether the element is false.
  public static prefix func .! (operand: MLTensor) -> MLTensor { operand.cast(.bool).unary("logical_not") }
}
