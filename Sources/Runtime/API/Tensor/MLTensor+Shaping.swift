import MIL

// The same elements in other shapes and orders.
extension MLTensor {
  /// The elements in row-major order in another shape; one size may be -1, for what is left.
  ///
  /// - Precondition: the shape has as many elements.
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
    // MIL has another meaning for sizes of 0, and no reshape to rank 0.
    guard scalarCount > 0 else { return MLTensor(zeros: sizes, scalarType: scalarType) }
    if sizes.isEmpty {
      return MLTensor.operation("squeeze", ["x": .tensor(self), "axes": .ints(Array(shape.indices))])
    }
    return MLTensor.operation("reshape", ["x": .tensor(self), "shape": .ints(sizes)])
  }

  /// The elements in a row.
  public func flattened() -> MLTensor { reshaped(to: [scalarCount]) }

  /// Without the axes of size 1.
  public func squeezingShape() -> MLTensor { reshaped(to: shape.filter { $0 != 1 }) }

  /// Without those of the named axes that have size 1.
  public func squeezingShape(at axes: Int...) -> MLTensor { squeezingShape(at: axes) }

  /// Without those of the named axes that have size 1.
  public func squeezingShape(at axes: [Int]) -> MLTensor {
    let gone = Set(axes.map { axis($0) }.filter { shape[$0] == 1 })
    return reshaped(to: shape.enumerated().filter { !gone.contains($0.offset) }.map(\.element))
  }

  /// With axes of size 1 at the named places of the result.
  public func expandingShape(at axes: Int...) -> MLTensor { expandingShape(at: axes) }

  /// With axes of size 1 at the named places of the result.
  public func expandingShape(at axes: [Int]) -> MLTensor {
    let count = rank + axes.count
    let places = Set(axes.map { axis($0, of: count) })
    precondition(places.count == axes.count, "a place is named twice: \(axes)")
    var rest = shape.makeIterator()
    return reshaped(to: (0..<count).map { places.contains($0) ? 1 : rest.next() ?? 1 })
  }

  /// With the axes in reverse order.
  public func transposed() -> MLTensor { transposed(permutation: Array((0..<rank).reversed())) }

  /// With the axes in another order: axis `i` of the result is axis `permutation[i]` of this tensor.
  ///
  /// - Precondition: every axis is named once.
  public func transposed(permutation: Int...) -> MLTensor { transposed(permutation: permutation) }

  /// With the axes in another order: axis `i` of the result is axis `permutation[i]` of this tensor.
  ///
  /// - Precondition: every axis is named once.
  public func transposed(permutation: [Int]) -> MLTensor {
    let order = permutation.map { axis($0) }
    precondition(
      order.sorted() == Array(0..<rank), "\(permutation) is no order of the axes of a tensor of shape \(shape)")
    guard order != Array(0..<rank) else { return self }
    return MLTensor.operation("transpose", ["x": .tensor(self), "perm": .ints(order)])
  }

  /// With the elements in reverse order along axes; along all of them where none is named.
  public func reversed(alongAxes axes: Int...) -> MLTensor { reversed(alongAxes: axes) }

  /// With the elements in reverse order along axes; along all of them where none is named.
  public func reversed(alongAxes axes: [Int]) -> MLTensor {
    guard rank > 0 else { return self }
    let axes = axes.isEmpty ? Array(0..<rank) : axes.map { axis($0) }
    return MLTensor.operation("reverse", ["x": .tensor(self), "axes": .ints(axes)])
  }

  /// The elements below a number of diagonals under the main one and above a number of diagonals over it become 0; -1 keeps all of a side.
  public func bandPart(lowerBandCount: Int, upperBandCount: Int) -> MLTensor {
    MLTensor.operation(
      "band_part", ["x": .tensor(self), "lower": .int(lowerBandCount), "upper": .int(upperBandCount)])
  }
}
