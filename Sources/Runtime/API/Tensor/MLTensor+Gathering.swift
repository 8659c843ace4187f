import MIL

// Gathering and scattering by indices. A negative index counts from the end of its axis.
extension MLTensor {
  /// Gathers slices by indices of the leading axes (MIL's `gather_nd`). The last axis of `indices` holds one index for
  /// each of the `n` leading axes.
  ///
  /// - Parameter indices: a tensor of integers.
  /// - Returns: a tensor of the shape `indices.shape.dropLast() + shape[n...]`.
  public func gathering(atIndices indices: MLTensor) -> MLTensor {
    MLTensor.operation("gather_nd", ["x": .tensor(self), "indices": .tensor(indices.places)])
  }

  /// Gathers slices by their indices on one axis (MIL's `gather`).
  ///
  /// - Parameter indices: a tensor of integers.
  /// - Returns: a tensor of this shape, with the axis replaced by the axes of `indices`.
  public func gathering(atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    MLTensor.operation(
      "gather", ["x": .tensor(self), "indices": .tensor(indices.places), "axis": .int(self.axis(axis))])
  }

  /// Replaces the elements where a mask is true by those of another tensor, converted to this tensor's type. Shapes
  /// broadcast.
  public func replacing(with replacement: MLTensor, where mask: MLTensor) -> MLTensor {
    let shape = MLTensor.broadcast(MLTensor.broadcast(replacement.shape, self.shape), mask.shape)
    return MLTensor.operation(
      "select",
      [
        "cond": .tensor(mask.cast(.bool).spread(shape)), "a": .tensor(replacement.cast(scalar).spread(shape)),
        "b": .tensor(spread(shape)),
      ])
  }

  /// Replaces the elements where a mask is true by a number.
  public func replacing<Scalar: MLTensorScalar>(with replacement: Scalar, where mask: MLTensor) -> MLTensor {
    replacing(with: number(replacement), where: mask)
  }

  /// Replaces the elements at indices on one axis by those of another tensor. `indices` has this tensor's shape, except
  /// along the axis. `replacement` has the shape of `indices` or broadcasts to it.
  ///
  /// If `indices` has another rank, whole slices are replaced: those that `gathering(atIndices:alongAxis:)` would
  /// return.
  public func replacing(with replacement: MLTensor, atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    let axis = self.axis(axis)
    let isByElement = indices.rank == rank && replacement.rank <= rank && rank > 1
    var parts = indices.shape
    if !isByElement { parts = shape[..<axis] + parts + shape[(axis + 1)...] }
    return MLTensor.operation(
      isByElement ? "scatter_along_axis" : "scatter",
      [
        "data": .tensor(self), "indices": .tensor(indices.places),
        "updates": .tensor(replacement.cast(scalar).spread(parts)), "axis": .int(axis), "mode": .string("update"),
      ])
  }

  /// Same as `replacing(with:atIndices:alongAxis:)`, with the arguments in another order.
  public func replacing(atIndices indices: MLTensor, with replacement: MLTensor, alongAxis axis: Int) -> MLTensor {
    replacing(with: replacement, atIndices: indices, alongAxis: axis)
  }

  /// Replaces the elements at indices on one axis by a number.
  public func replacing<Scalar: MLTensorScalar>(
    atIndices indices: MLTensor, with replacement: Scalar, alongAxis axis: Int
  ) -> MLTensor {
    replacing(with: number(replacement), atIndices: indices, alongAxis: axis)
  }

  /// The tensor as `int32` indices.
  private var places: MLTensor {
    precondition(scalar.isInteger, "places are integers, not \(scalarType)")
    return cast(.int32)
  }

  static func broadcast(_ one: [Int], _ other: [Int]) -> [Int] {
    let count = Swift.max(one.count, other.count)
    return (0..<count).map { place in
      let a = place - count + one.count >= 0 ? one[place - count + one.count] : 1
      let b = place - count + other.count >= 0 ? other[place - count + other.count] : 1
      precondition(a == b || a == 1 || b == 1, "the shapes \(one) and \(other) do not broadcast")
      return a == 1 ? b : a
    }
  }

  /// Repeats the tensor to a shape that it broadcasts to.
  private func spread(_ target: [Int]) -> MLTensor {
    guard target != shape else { return self }
    let own = Array(repeating: 1, count: target.count - rank) + shape
    return reshaped(to: own).tiled(multiples: zip(own, target).map { $0 == $1 ? 1 : $1 })
  }
}
