import MIL

// Elementwise functions. Floating-point functions convert other types to `Float`.
extension MLTensor {
  /// The absolute values.
  public func abs() -> MLTensor { unary("abs") }

  /// The arc cosines, in radians.
  public func acos() -> MLTensor { floating.unary("acos") }

  /// The arc sines, in radians.
  public func asin() -> MLTensor { floating.unary("asin") }

  /// The arc tangents, in radians.
  public func atan() -> MLTensor { floating.unary("atan") }

  /// The inverse hyperbolic tangents.
  public func atanh() -> MLTensor { floating.unary("atanh") }

  /// Rounds up to integers.
  public func ceil() -> MLTensor { scalar.isFloat ? unary("ceil") : self }

  /// The cosines of angles in radians.
  public func cos() -> MLTensor { floating.unary("cos") }

  /// The hyperbolic cosines.
  public func cosh() -> MLTensor { floating.unary("cosh") }

  /// e to the power of each element.
  public func exp() -> MLTensor { floating.unary("exp") }

  /// 2 to the power of each element.
  public func exp2() -> MLTensor { floating.unary("exp2") }

  /// Rounds down to integers.
  public func floor() -> MLTensor { scalar.isFloat ? unary("floor") : self }

  /// The natural logarithms.
  public func log() -> MLTensor { floating.unary("log") }

  /// Rounds to the nearest integers; halfway cases to the even one.
  public func round() -> MLTensor { scalar.isFloat ? unary("round") : self }

  /// -1, 0 or 1 for negative, zero or positive elements.
  public func sign() -> MLTensor { unary("sign") }

  /// The sines of angles in radians.
  public func sin() -> MLTensor { floating.unary("sin") }

  /// The hyperbolic sines.
  public func sinh() -> MLTensor { floating.unary("sinh") }

  /// The square roots.
  public func squareRoot() -> MLTensor { floating.unary("sqrt") }

  /// The squares.
  public func squared() -> MLTensor { unary("square") }

  /// The tangents of angles in radians.
  public func tan() -> MLTensor { floating.unary("tan") }

  /// The hyperbolic tangents.
  public func tanh() -> MLTensor { floating.unary("tanh") }

  /// The inverse hyperbolic sines.
  public func asinh() -> MLTensor {
    // Near 0 the logarithm cancels small values. Far from 0 the quotient rounds to 1.
    let x = floating
    let root = (x.squared() + x.number(Int8(1))).squareRoot()
    let far = x.sign() * (x.abs() + root).log()
    return (x / root).atanh().replacing(with: far, where: x.abs() .> x.number(Int8(1)))
  }

  /// The inverse hyperbolic cosines.
  public func acosh() -> MLTensor {
    let x = floating
    return ((x - x.number(Int8(1))) / x.number(Int8(2))).squareRoot().asinh() * x.number(Int8(2))
  }

  /// The reciprocals.
  public func reciprocal() -> MLTensor { floating.number(Int8(1)) / floating }

  /// The reciprocals of the square roots.
  public func rsqrt() -> MLTensor { squareRoot().reciprocal() }

  /// Clamps the elements to a range.
  public func clamped<Scalar: MLTensorScalar & Comparable & Numeric>(to limits: ClosedRange<Scalar>) -> MLTensor {
    pointwiseMin(pointwiseMax(self, number(limits.lowerBound)), number(limits.upperBound))
  }

  /// Clamps the elements to a lower bound.
  public func clamped<Scalar: MLTensorScalar & Comparable & Numeric>(to limits: PartialRangeFrom<Scalar>) -> MLTensor {
    pointwiseMax(self, number(limits.lowerBound))
  }

  /// Clamps the elements to an upper bound.
  public func clamped<Scalar: MLTensorScalar & Comparable & Numeric>(to limits: PartialRangeThrough<Scalar>) -> MLTensor
  {
    pointwiseMin(self, number(limits.upperBound))
  }

  /// Clamps the elements to a range.
  public func clamped(to limits: ClosedRange<Float>) -> MLTensor {
    pointwiseMin(pointwiseMax(self, bound(limits.lowerBound)), bound(limits.upperBound))
  }

  /// Clamps the elements to a lower bound.
  public func clamped(to limits: PartialRangeFrom<Float>) -> MLTensor { pointwiseMax(self, bound(limits.lowerBound)) }

  /// Clamps the elements to an upper bound.
  public func clamped(to limits: PartialRangeThrough<Float>) -> MLTensor {
    pointwiseMin(self, bound(limits.upperBound))
  }

  /// Converts a bound to the elements' own type if that type can represent it.
  private func bound(_ value: Float) -> MLTensor {
    guard scalar.isInteger, let whole = Int32(exactly: value) else { return number(value) }
    return number(whole)
  }

  /// The softmax along an axis: `exp(x)` divided by the sum of `exp(x)`. Types other than floating point are converted
  /// to `Float`.
  public func softmax(alongAxis axis: Int = -1) -> MLTensor {
    MLTensor.operation("softmax", ["x": .tensor(floating), "axis": .int(self.axis(axis))])
  }
}

/// The elementwise maximum.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { MLTensor.arithmetic("maximum", lhs, rhs) }

/// The maximum of each element and a number.
public func pointwiseMax<Scalar: MLTensorScalar & Numeric>(_ lhs: MLTensor, _ rhs: Scalar) -> MLTensor {
  pointwiseMax(lhs, lhs.number(rhs))
}

/// The maximum of a number and each element.
public func pointwiseMax<Scalar: MLTensorScalar & Numeric>(_ lhs: Scalar, _ rhs: MLTensor) -> MLTensor {
  pointwiseMax(rhs.number(lhs), rhs)
}

/// The elementwise minimum.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { MLTensor.arithmetic("minimum", lhs, rhs) }

/// The minimum of each element and a number.
public func pointwiseMin<Scalar: MLTensorScalar & Numeric>(_ lhs: MLTensor, _ rhs: Scalar) -> MLTensor {
  pointwiseMin(lhs, lhs.number(rhs))
}

/// The minimum of a number and each element.
public func pointwiseMin<Scalar: MLTensorScalar & Numeric>(_ lhs: Scalar, _ rhs: MLTensor) -> MLTensor {
  pointwiseMin(rhs.number(lhs), rhs)
}
