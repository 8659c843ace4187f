import MIL

extension MLTensor {
  /// The indices that sort the elements along an axis, in ascending or descending order, of type `Int32`. The sort is
  /// stable.
  public func argsort(alongAxis axis: Int = -1, descendingOrder: Bool = false) -> MLTensor {
    MLTensor.operation(
      "argsort",
      ["x": .tensor(countable), "axis": .int(self.axis(axis)), "ascending": .bool(!descendingOrder)])
  }

  /// The `k` largest elements along the last axis in descending order, and their indices of type `Int32`. In both
  /// results the last axis has the size `k`.
  ///
  /// - Precondition: the axis has at least `k` elements.
  public func topK(_ k: Int) -> (values: MLTensor, indices: MLTensor) {
    let parts = MLTensor.values(
      "topk", ["x": .tensor(countable), "k": .int(k), "axis": .int(axis(-1)), "ascending": .bool(false)])
    return (parts[0], parts[1])
  }

  /// The inclusive prefix sums along an axis.
  public func cumulativeSum(alongAxis axis: Int = 0) -> MLTensor {
    MLTensor.operation("cumsum", ["x": .tensor(countable), "axis": .int(self.axis(axis))])
  }

  /// The inclusive prefix products along an axis.
  public func cumulativeProduct(alongAxis axis: Int = 0) -> MLTensor {
    let axis = self.axis(axis)
    let size = shape[axis]
    var result = countable
    var step = 1
    // Each iteration doubles the number of factors in each product.
    while step < size {
      var ones = shape
      ones[axis] = step
      let parts = result.split(sizes: [size - step, step], alongAxis: axis)
      let shifted = MLTensor(
        concatenating: [MLTensor(ones: ones, scalarType: result.scalarType), parts[0]], alongAxis: axis)
      result = result * shifted
      step *= 2
    }
    return result
  }
}
