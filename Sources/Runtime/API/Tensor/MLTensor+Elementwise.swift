import MIL

// Functions of one element. What only floating-point numbers have takes others as `Float`.
extension MLTensor {
  /// The absolute values.
  public func abs() -> MLTensor { unary("abs") }

  /// The angles whose cosines the elements are, in radians.
  public func acos() -> MLTensor { floating.unary("acos") }

  /// The angles whose sines the elements are, in radians.
  public func asin() -> MLTensor { floating.unary("asin") }

  /// The angles whose tangents the elements are, in radians.
  public func atan() -> MLTensor { floating.unary("atan") }

  /// The inverse hyperbolic tangents.
  public func atanh() -> MLTensor { floating.unary("atanh") }

  /// The least integers that are not less.
  public func ceil() -> MLTensor { scalar.isFloat ? unary("ceil") : self }

  /// The cosines of angles in radians.
  public func cos() -> MLTensor { floating.unary("cos") }

  /// The hyperbolic cosines.
  public func cosh() -> MLTensor { floating.unary("cosh") }

  /// e to the power of each element.
  public func exp() -> MLTensor { floating.unary("exp") }

  /// 2 to the power of each element.
  public func exp2() -> MLTensor { floating.unary("exp2") }

  /// The greatest integers that are not more.
  public func floor() -> MLTensor { scalar.isFloat ? unary("floor") : self }

  /// The natural logarithms.
  public func log() -> MLTensor { floating.unary("log") }

  /// The nearest integers; of two that are as near, the even one.
  public func round() -> MLTensor { scalar.isFloat ? unary("round") : self }

  /// -1, 0 or 1, as the elements are negative, 0 or positive.
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
    // Near 0 the logarithm loses the small numbers, far from it the quotient is 1.
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

  /// One by each element.
  public func reciprocal() -> MLTensor { floating.number(Int8(1)) / floating }

  /// One by the square root of each element.
  public func rsqrt() -> MLTensor { squareRoot().reciprocal() }

  /// The elements within a range: those outside become its nearest end.
  public func clamped<Scalar: MLTensorScalar & Comparable & Numeric>(to limits: ClosedRange<Scalar>) -> MLTensor {
    pointwiseMin(pointwiseMax(self, number(limits.lowerBound)), number(limits.upperBound))
  }

  /// The elements that are no less than a number: those that are become it.
  public func clamped<Scalar: MLTensorScalar & Comparable & Numeric>(to limits: PartialRangeFrom<Scalar>) -> MLTensor {
    pointwiseMax(self, number(limits.lowerBound))
  }

  /// The elements that are no more than a number: those that are become it.
  public func clamped<Scalar: MLTensorScalar & Comparable & Numeric>(to limits: PartialRangeThrough<Scalar>) -> MLTensor
  {
    pointwiseMin(self, number(limits.upperBound))
  }

  /// The elements within a range: those outside become its nearest end.
  public func clamped(to limits: ClosedRange<Float>) -> MLTensor {
    pointwiseMin(pointwiseMax(self, bound(limits.lowerBound)), bound(limits.upperBound))
  }

  /// The elements that are no less than a number: those that are become it.
  public func clamped(to limits: PartialRangeFrom<Float>) -> MLTensor { pointwiseMax(self, bound(limits.lowerBound)) }

  /// The elements that are no more than a number: those that are become it.
  public func clamped(to limits: PartialRangeThrough<Float>) -> MLTensor {
    pointwiseMin(self, bound(limits.upperBound))
  }

  /// A bound of the elements' own type, where that has it.
  private func bound(_ value: Float) -> MLTensor {
    guard scalar.isInteger, let whole = Int32(exactly: value) else { return number(value) }
    return number(whole)
  }

  /// The elements as shares of one along an axis: `exp(x)` by the sum of them.
  public func softmax(alongAxis axis: Int = -1) -> MLTensor {
    MLTensor.operation("softmax", ["x": .tensor(floating), "axis": .int(self.axis(axis))])
  }
}

/// The greater of each two elements.
public func pointwiseMax(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { MLTensor.arithmetic("maximum", lhs, rhs) }

/// The greater of each element and a number.
public func pointwiseMax<Scalar: MLTensorScalar & Numeric>(_ lhs: MLTensor, _ rhs: Scalar) -> MLTensor {
  pointwiseMax(lhs, lhs.number(rhs))
}

/// The greater of a number and each element.
public func pointwiseMax<Scalar: MLTensorScalar & Numeric>(_ lhs: Scalar, _ rhs: MLTensor) -> MLTensor {
  pointwiseMax(rhs.number(lhs), rhs)
}

/// The lesser of each two elements.
public func pointwiseMin(_ lhs: MLTensor, _ rhs: MLTensor) -> MLTensor { MLTensor.arithmetic("minimum", lhs, rhs) }

/// The lesser of each element and a number.
public func pointwiseMin<Scalar: MLTensorScalar & Numeric>(_ lhs: MLTensor, _ rhs: Scalar) -> MLTensor {
  pointwiseMin(lhs, lhs.number(rhs))
}

/// The lesser of a number and each element.
public func pointwiseMin<Scalar: MLTensorScalar & Numeric>(_ lhs: Scalar, _ rhs: MLTensor) -> MLTensor {
  pointwiseMin(rhs.number(lhs), rhs)
}
