import MIL

extension MLTensor {
  /// The places of the elements along an axis in rising order, or in falling, of type `Int32`; equal ones stay as they were.
  public func argsort(alongAxis axis: Int = -1, descendingOrder: Bool = false) -> MLTensor {
    MLTensor.operation(
      "argsort",
      ["x": .tensor(countable), "axis": .int(self.axis(axis)), "ascending": .bool(!descendingOrder)])
  }

  /// The `k` greatest elements along the last axis in falling order, and their places, of type `Int32`.
  ///
  /// - Precondition: the axis has as many elements.
  public func topK(_ k: Int) -> (values: MLTensor, indices: MLTensor) {
    let parts = MLTensor.values(
      "topk", ["x": .tensor(countable), "k": .int(k), "axis": .int(axis(-1)), "ascending": .bool(false)])
    return (parts[0], parts[1])
  }

  /// The sums of the elements up to each along an axis.
  public func cumulativeSum(alongAxis axis: Int = 0) -> MLTensor {
    MLTensor.operation("cumsum", ["x": .tensor(countable), "axis": .int(self.axis(axis))])
  }

  /// The products of the elements up to each along an axis.
  public func cumulativeProduct(alongAxis axis: Int = 0) -> MLTensor {
    let axis = self.axis(axis)
    let size = shape[axis]
    var result = countable
    var step = 1
    // Each round doubles how many elements a product has.
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
