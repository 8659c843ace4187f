import MIL

// Concatenation, splitting, tiling and matrix multiplication.
extension MLTensor {
  /// Concatenates another tensor after this one along an axis.
  public func concatenated(with other: MLTensor, alongAxis axis: Int = 0) -> MLTensor {
    MLTensor(concatenating: [self, other], alongAxis: axis)
  }

  /// The slices at each index of an axis, without that axis.
  public func unstacked(alongAxis axis: Int = 0) -> [MLTensor] {
    let axis = self.axis(axis)
    return split(sizes: Array(repeating: 1, count: shape[axis]), alongAxis: axis).map { $0.squeezingShape(at: axis) }
  }

  /// Splits the tensor into parts of equal size along an axis.
  ///
  /// - Precondition: the count divides the size of the axis.
  public func split(count: Int, alongAxis axis: Int = 0) -> [MLTensor] {
    let size = shape[self.axis(axis)]
    precondition(count > 0 && size % count == 0, "an axis of size \(size) cannot be split into \(count) equal parts")
    return split(sizes: Array(repeating: size / count, count: count), alongAxis: axis)
  }

  /// Splits the tensor into parts of given sizes along an axis.
  ///
  /// - Precondition: the sizes add up to the size of the axis.
  public func split(sizes: [Int], alongAxis axis: Int = 0) -> [MLTensor] {
    let axis = self.axis(axis)
    precondition(
      sizes.allSatisfy { $0 >= 0 } && sizes.reduce(0, +) == shape[axis],
      "an axis of size \(shape[axis]) cannot be split into \(sizes)")
    guard sizes.count > 1 else { return sizes.map { _ in self } }
    return MLTensor.values("split", ["x": .tensor(self), "axis": .int(axis), "split_sizes": .ints(sizes)])
  }

  /// Repeats the tensor along each axis. If `multiples` and the shape have different lengths, the shorter one is padded
  /// with leading ones.
  ///
  /// - Precondition: no multiple is negative.
  public func tiled(multiples: [Int]) -> MLTensor {
    precondition(
      multiples.allSatisfy { $0 >= 0 }, "a tensor of shape \(shape) cannot be repeated \(multiples) times")
    let axes = Swift.max(multiples.count, rank)
    guard axes > 0 else { return self }
    func filled(_ sizes: [Int]) -> [Int] { Array(repeating: 1, count: axes - sizes.count) + sizes }
    return MLTensor.operation(
      "tile", ["x": .tensor(reshaped(to: filled(shape))), "reps": .ints(filled(multiples))])
  }

  /// The matrix product. For two vectors it is their dot product; for a matrix and a vector it is a vector. For tensors
  /// of higher rank it multiplies the matrices in the last two axes and broadcasts the axes before them.
  ///
  /// - Precondition: the size of the last axis of this tensor equals that of the other's second last axis, or of its
  ///   only axis.
  public func matmul(_ other: MLTensor) -> MLTensor {
    let (x, y) = MLTensor.met(countable, other.countable)
    return MLTensor.operation("matmul", ["x": .tensor(x), "y": .tensor(y)])
  }
}
