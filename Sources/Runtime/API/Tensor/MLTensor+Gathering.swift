import MIL

// Elements by their places. A negative place counts from the end of its axis.
extension MLTensor {
  /// Parts by the places of their leading axes: the last axis of `indices` holds a place for each of them.
  public func gathering(atIndices indices: MLTensor) -> MLTensor {
    MLTensor.operation("gather_nd", ["x": .tensor(self), "indices": .tensor(indices.places)])
  }

  /// Parts by their places on one axis, which the axes of `indices` take the place of.
  public func gathering(atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    MLTensor.operation(
      "gather", ["x": .tensor(self), "indices": .tensor(indices.places), "axis": .int(self.axis(axis))])
  }

  /// The elements of another tensor where a mask is true, and these elsewhere, of this tensor's type. Shapes broadcast.
  public func replacing(with replacement: MLTensor, where mask: MLTensor) -> MLTensor {
    let shape = MLTensor.broadcast(MLTensor.broadcast(replacement.shape, self.shape), mask.shape)
    return MLTensor.operation(
      "select",
      [
        "cond": .tensor(mask.cast(.bool).spread(shape)), "a": .tensor(replacement.cast(scalar).spread(shape)),
        "b": .tensor(spread(shape)),
      ])
  }

  /// A number where a mask is true, and these elements elsewhere.
  public func replacing<Scalar: MLTensorScalar>(with replacement: Scalar, where mask: MLTensor) -> MLTensor {
    replacing(with: number(replacement), where: mask)
  }

  /// The elements of another tensor at places on one axis, and these elsewhere. `indices` has this tensor's sizes but along the axis, and
  /// the other tensor its shape, or one that broadcasts to it.
  ///
  /// Where `indices` has another rank, whole parts are replaced: those that `gathering(atIndices:alongAxis:)` would give for it.
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

  /// The same with the arguments in the order of places and parts.
  public func replacing(atIndices indices: MLTensor, with replacement: MLTensor, alongAxis axis: Int) -> MLTensor {
    replacing(with: replacement, atIndices: indices, alongAxis: axis)
  }

  /// A number at places on one axis, and these elements elsewhere.
  public func replacing<Scalar: MLTensorScalar>(
    atIndices indices: MLTensor, with replacement: Scalar, alongAxis axis: Int
  ) -> MLTensor {
    replacing(with: number(replacement), atIndices: indices, alongAxis: axis)
  }

  /// Integers that places are given in.
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

  /// The tensor repeated to a shape that it broadcasts to.
  private func spread(_ target: [Int]) -> MLTensor {
    guard target != shape else { return self }
    let own = Array(repeating: 1, count: target.count - rank) + shape
    return reshaped(to: own).tiled(multiples: zip(own, target).map { $0 == $1 ? 1 : $1 })
  }
}
