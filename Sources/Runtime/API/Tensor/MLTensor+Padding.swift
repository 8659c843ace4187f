import MIL

extension MLTensor {
  /// How the added elements are computed.
  public enum PaddingMode: Sendable, Hashable, CustomStringConvertible {
    /// A constant.
    case constant(Float)
    /// Mirrored at the border; the border element is not repeated.
    case reflection
    /// Mirrored at the border; the border element is repeated.
    case symmetric

    /// The case as Swift source code spells it.
    public var description: String {
      switch self {
      case .constant(let value): "constant(\(value))"
      case .reflection: "reflection"
      case .symmetric: "symmetric"
      }
    }
  }

  /// Pads each axis before and after with a number.
  ///
  /// - Precondition: `sizes` has one entry per axis, and no size is negative.
  public func padded<Scalar: MLTensorScalar & Numeric>(
    forSizes sizes: [(before: Int, after: Int)], with value: Scalar
  ) -> MLTensor { padded(sizes, number(value)) }

  /// Pads each axis before and after with a scalar tensor or a literal.
  ///
  /// - Precondition: `sizes` has one entry per axis, no size is negative, and `value` is a scalar.
  public func padded(forSizes sizes: [(before: Int, after: Int)], with value: MLTensor) -> MLTensor {
    precondition(value.isScalar, "the padding value has the shape \(value.shape), expected a scalar")
    return padded(sizes, value)
  }

  /// Pads each axis before and after with zeros.
  ///
  /// - Precondition: `sizes` has one entry per axis, and no size is negative.
  public func padded(forSizes sizes: [(before: Int, after: Int)]) -> MLTensor { padded(sizes, number(Int8(0))) }

  /// Pads each axis before and after in a mode.
  ///
  /// - Precondition: `sizes` has one entry per axis, and no size is negative. An axis that is mirrored is not empty.
  public func padded(forSizes sizes: [(before: Int, after: Int)], mode: PaddingMode) -> MLTensor {
    if case .constant(let value) = mode { return padded(sizes, number(value)) }
    require(sizes)
    var result = self
    for (axis, pad) in sizes.enumerated() where pad.before + pad.after > 0 {
      let size = shape[axis]
      let places = (-pad.before..<size + pad.after).map { Int32(mode.mirrored($0, size)) }
      result = result.gathering(atIndices: MLTensor(places), alongAxis: axis)
    }
    return result
  }

  private func require(_ sizes: [(before: Int, after: Int)]) {
    precondition(
      sizes.count == rank && sizes.allSatisfy { $0.before >= 0 && $0.after >= 0 },
      "a tensor of shape \(shape) cannot be padded by \(sizes)")
  }

  /// Concatenates blocks of the constant, axis by axis.
  private func padded(_ sizes: [(before: Int, after: Int)], _ value: MLTensor) -> MLTensor {
    require(sizes)
    var result = self
    for (axis, pad) in sizes.enumerated() {
      var shape = result.shape
      func block(_ size: Int) -> [MLTensor] {
        guard size > 0 else { return [] }
        shape[axis] = size
        let one = MLTensor.met(result, value).1.reshaped(to: Array(repeating: 1, count: shape.count))
        return [one.tiled(multiples: shape)]
      }
      let parts = block(pad.before) + [result] + block(pad.after)
      if parts.count > 1 { result = MLTensor(concatenating: parts, alongAxis: axis) }
    }
    return result
  }
}

extension MLTensor.PaddingMode {
  /// The index of the element that is mirrored to a position before or after the axis.
  fileprivate func mirrored(_ place: Int, _ size: Int) -> Int {
    precondition(size > 0, "an axis without elements cannot be mirrored")
    let period = self == .symmetric ? 2 * size : max(2 * size - 2, 1)
    let offset = ((place % period) + period) % period
    return offset < size ? offset : self == .symmetric ? period - 1 - offset : period - offset
  }
}
