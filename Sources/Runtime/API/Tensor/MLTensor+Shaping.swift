import MIL

// Reshaping, transposing and reversing.
extension MLTensor {
  /// Returns the elements, in row-major order, in another shape. One size may be -1; it is inferred from the others.
  ///
  /// - Precondition: the new shape has the same number of elements.
  public func reshaped(to newShape: [Int]) -> MLTensor {
    var sizes = newShape
    if let open = sizes.firstIndex(of: -1) {
      let rest = sizes.enumerated().reduce(1) { $1.offset == open ? $0 : $0 * $1.element }
      precondition(
        rest > 0 && scalarCount % rest == 0, "a tensor of shape \(shape) cannot take the shape \(newShape)")
      sizes[open] = scalarCount / rest
    }
    precondition(
      sizes.allSatisfy { $0 >= 0 } && sizes.reduce(1, *) == scalarCount,
      "a tensor of shape \(shape) cannot take the shape \(newShape)")
    guard sizes != shape else { return self }
    // In MIL a size of 0 has another meaning, and a reshape to rank 0 does not exist.
    guard scalarCount > 0 else { return MLTensor(zeros: sizes, scalarType: scalarType) }
    if sizes.isEmpty {
      return MLTensor.operation("squeeze", ["x": .tensor(self), "axes": .ints(Array(shape.indices))])
    }
    return MLTensor.operation("reshape", ["x": .tensor(self), "shape": .ints(sizes)])
  }

  /// Reshapes to rank 1.
  public func flattened() -> MLTensor { reshaped(to: [scalarCount]) }

  /// Removes the axes of size 1.
  public func squeezingShape() -> MLTensor { reshaped(to: shape.filter { $0 != 1 }) }

  /// Removes the given axes that have size 1.
  public func squeezingShape(at axes: Int...) -> MLTensor { squeezingShape(at: axes) }

  /// Removes the given axes that have size 1.
  public func squeezingShape(at axes: [Int]) -> MLTensor {
    let gone = Set(axes.map { axis($0) }.filter { shape[$0] == 1 })
    return reshaped(to: shape.enumerated().filter { !gone.contains($0.offset) }.map(\.element))
  }

  /// Inserts axes of size 1 at the given positions of the result.
  public func expandingShape(at axes: Int...) -> MLTensor { expandingShape(at: axes) }

  /// Inserts axes of size 1 at the given positions of the result.
  public func expandingShape(at axes: [Int]) -> MLTensor {
    let count = rank + axes.count
    let places = Set(axes.map { axis($0, of: count) })
    precondition(places.count == axes.count, "a place is named twice: \(axes)")
    var rest = shape.makeIterator()
    return reshaped(to: (0..<count).map { places.contains($0) ? 1 : rest.next() ?? 1 })
  }

  /// Reverses the order of the axes.
  public func transposed() -> MLTensor { transposed(permutation: Array((0..<rank).reversed())) }

  /// Permutes the axes: axis `i` of the result is axis `permutation[i]` of this tensor.
  ///
  /// - Precondition: the permutation contains every axis once.
  public func transposed(permutation: Int...) -> MLTensor { transposed(permutation: permutation) }

  /// Permutes the axes: axis `i` of the result is axis `permutation[i]` of this tensor.
  ///
  /// - Precondition: the permutation contains every axis once.
  public func transposed(permutation: [Int]) -> MLTensor {
    let order = permutation.map { axis($0) }
    precondition(
      order.sorted() == Array(0..<rank), "\(permutation) is no order of the axes of a tensor of shape \(shape)")
    guard order != Array(0..<rank) else { return self }
    return MLTensor.operation("transpose", ["x": .tensor(self), "perm": .ints(order)])
  }

  /// Reverses the order of the elements along axes; along all axes if none is given.
  public func reversed(alongAxes axes: Int...) -> MLTensor { reversed(alongAxes: axes) }

  /// Reverses the order of the elements along axes; along all axes if none is given.
  public func reversed(alongAxes axes: [Int]) -> MLTensor {
    guard rank > 0 else { return self }
    let axes = axes.isEmpty ? Array(0..<rank) : axes.map { axis($0) }
    return MLTensor.operation("reverse", ["x": .tensor(self), "axes": .ints(axes)])
  }

  /// Sets the elements outside a band around the main diagonal to 0. The band has `lowerBandCount` diagonals below and
  /// `upperBandCount` diagonals above it; -1 keeps all diagonals of that side.
  public func bandPart(lowerBandCount: Int, upperBandCount: Int) -> MLTensor {
    MLTensor.operation(
      "band_part", ["x": .tensor(self), "lower": .int(lowerBandCount), "upper": .int(upperBandCount)])
  }
}
