import MIL

extension MLTensor {
  /// What elements around a tensor become.
  public enum PaddingMode: Sendable, Hashable, CustomStringConvertible {
    /// A number.
    case constant(Float)
    /// The elements mirrored at the border, which is not repeated.
    case reflection
    /// The elements mirrored with the border.
    case symmetric

    /// The case as it is written.
    public var description: String {
      switch self {
      case .constant(let value): "constant(\(value))"
      case .reflection: "reflection"
      case .symmetric: "symmetric"
      }
    }
  }

  /// With elements of a number before and after each axis.
  ///
  /// - Precondition: there are two sizes, no less than 0, for each axis.
  public func padded<Scalar: MLTensorScalar & Numeric>(
    forSizes sizes: [(before: Int, after: Int)], with value: Scalar
  ) -> MLTensor { padded(sizes, number(value)) }

  /// With elements of a number, or a literal, before and after each axis.
  ///
  /// - Precondition: there are two sizes, no less than 0, for each axis, and the number is one.
  public func padded(forSizes sizes: [(before: Int, after: Int)], with value: MLTensor) -> MLTensor {
    precondition(value.isScalar, "what is put around a tensor is a number, not a tensor of shape \(value.shape)")
    return padded(sizes, value)
  }

  /// With zeros before and after each axis.
  ///
  /// - Precondition: there are two sizes, no less than 0, for each axis.
  public func padded(forSizes sizes: [(before: Int, after: Int)]) -> MLTensor { padded(sizes, number(Int8(0))) }

  /// With elements before and after each axis, in a mode.
  ///
  /// - Precondition: there are two sizes, no less than 0, for each axis; an axis that is mirrored has elements.
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

  /// Between blocks of the number, axis by axis.
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
  /// The element of an axis that stands at a place before or after it.
  fileprivate func mirrored(_ place: Int, _ size: Int) -> Int {
    precondition(size > 0, "an axis without elements cannot be mirrored")
    let period = self == .symmetric ? 2 * size : max(2 * size - 2, 1)
    let offset = ((place % period) + period) % period
    return offset < size ? offset : self == .symmetric ? period - 1 - offset : period - offset
  }
}
