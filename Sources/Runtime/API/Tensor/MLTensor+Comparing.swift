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

// Elementwise comparison and logic with boolean results. Shapes broadcast; operands of two types are converted to the
// wider type.
extension MLTensor {
  /// Whether the elements are equal.
  public static func .== (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("equal", lhs, rhs) }

  /// Whether each element equals a number.
  public static func .== <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .== lhs.number(rhs) }

  /// Whether a number equals each element.
  public static func .== <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .== rhs }

  /// Whether the elements differ.
  public static func .!= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("not_equal", lhs, rhs) }

  /// Whether each element differs from a number.
  public static func .!= <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .!= lhs.number(rhs) }

  /// Whether a number differs from each element.
  public static func .!= <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .!= rhs }

  /// Whether each element is greater than the corresponding element.
  public static func .> (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("greater", lhs, rhs) }

  /// Whether each element is greater than a number.
  public static func .> <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .> lhs.number(rhs) }

  /// Whether a number is greater than each element.
  public static func .> <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .> rhs }

  /// Whether each element is greater than or equal to the corresponding element.
  public static func .>= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("greater_equal", lhs, rhs) }

  /// Whether each element is greater than or equal to a number.
  public static func .>= <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .>= lhs.number(rhs) }

  /// Whether a number is greater than or equal to each element.
  public static func .>= <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .>= rhs }

  /// Whether each element is less than the corresponding element.
  public static func .< (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("less", lhs, rhs) }

  /// Whether each element is less than a number.
  public static func .< <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .< lhs.number(rhs) }

  /// Whether a number is less than each element.
  public static func .< <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .< rhs }

  /// Whether each element is less than or equal to the corresponding element.
  public static func .<= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { binary("less_equal", lhs, rhs) }

  /// Whether each element is less than or equal to a number.
  public static func .<= <Scalar: MLTensorScalar>(lhs: MLTensor, rhs: Scalar) -> MLTensor { lhs .<= lhs.number(rhs) }

  /// Whether a number is less than or equal to each element.
  public static func .<= <Scalar: MLTensorScalar>(lhs: Scalar, rhs: MLTensor) -> MLTensor { rhs.number(lhs) .<= rhs }

  /// The elementwise logical AND.
  public static func .& (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    operation("logical_and", ["x": .tensor(lhs.cast(.bool)), "y": .tensor(rhs.cast(.bool))])
  }

  /// The elementwise logical OR.
  public static func .| (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    operation("logical_or", ["x": .tensor(lhs.cast(.bool)), "y": .tensor(rhs.cast(.bool))])
  }

  /// The elementwise logical exclusive OR.
  public static func .^ (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    operation("logical_xor", ["x": .tensor(lhs.cast(.bool)), "y": .tensor(rhs.cast(.bool))])
  }

  /// The elementwise logical NOT.
  public static prefix func .! (operand: MLTensor) -> MLTensor { operand.cast(.bool).unary("logical_not") }
}
