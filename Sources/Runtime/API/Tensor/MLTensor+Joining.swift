import MIL

// Tensors put together, taken apart and repeated.
extension MLTensor {
  /// This tensor and another behind it on an axis.
  public func concatenated(with other: MLTensor, alongAxis axis: Int = 0) -> MLTensor {
    MLTensor(concatenating: [self, other], alongAxis: axis)
  }

  /// The parts at each index of an axis, which is gone from them.
  public func unstacked(alongAxis axis: Int = 0) -> [MLTensor] {
    let axis = self.axis(axis)
    return split(sizes: Array(repeating: 1, count: shape[axis]), alongAxis: axis).map { $0.squeezingShape(at: axis) }
  }

  /// Parts of equal size along an axis.
  ///
  /// - Precondition: the count divides the size of the axis.
  public func split(count: Int, alongAxis axis: Int = 0) -> [MLTensor] {
    let size = shape[self.axis(axis)]
    precondition(count > 0 && size % count == 0, "an axis of size \(size) cannot be split into \(count) equal parts")
    return split(sizes: Array(repeating: size / count, count: count), alongAxis: axis)
  }

  /// Parts of given sizes along an axis.
  ///
  /// - Precondition: together they are the size of the axis.
  public func split(sizes: [Int], alongAxis axis: Int = 0) -> [MLTensor] {
    let axis = self.axis(axis)
    precondition(
      sizes.allSatisfy { $0 >= 0 } && sizes.reduce(0, +) == shape[axis],
      "an axis of size \(shape[axis]) cannot be split into \(sizes)")
    guard sizes.count > 1 else { return sizes.map { _ in self } }
    return MLTensor.values("split", ["x": .tensor(self), "axis": .int(axis), "split_sizes": .ints(sizes)])
  }

  /// The tensor repeated along each axis. Where there are fewer numbers than axes, or fewer axes than numbers, ones stand before them.
  ///
  /// - Precondition: no number is less than 0.
  public func tiled(multiples: [Int]) -> MLTensor {
    precondition(
      multiples.allSatisfy { $0 >= 0 }, "a tensor of shape \(shape) cannot be repeated \(multiples) times")
    let axes = Swift.max(multiples.count, rank)
    guard axes > 0 else { return self }
    func filled(_ sizes: [Int]) -> [Int] { Array(repeating: 1, count: axes - sizes.count) + sizes }
    return MLTensor.operation(
      "tile", ["x": .tensor(reshaped(to: filled(shape))), "reps": .ints(filled(multiples))])
  }

  /// The product of two tensors: of vectors their dot product, of a matrix and a vector a vector, of tensors of higher rank the products of
  /// their last two axes, with the axes before them broadcast.
  ///
  /// - Precondition: the last axis of this tensor is as long as the other's second last, or its only one.
  public func matmul(_ other: MLTensor) -> MLTensor {
    let (x, y) = MLTensor.met(countable, other.countable)
    return MLTensor.operation("matmul", ["x": .tensor(x), "y": .tensor(y)])
  }
}
