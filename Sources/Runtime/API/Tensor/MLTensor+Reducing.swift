import MIL

// Reductions: of all elements, or along axes, which are gone from the result or kept with size 1.
extension MLTensor {
  /// The sum of all elements.
  public func sum(keepRank: Bool = false) -> MLTensor { sum(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The sum along axes.
  public func sum(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    sum(alongAxes: axes, keepRank: keepRank)
  }

  /// The sum along axes.
  public func sum(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_sum", axes, keepRank)
  }

  /// The mean of all elements.
  public func mean(keepRank: Bool = false) -> MLTensor { mean(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The mean along axes.
  public func mean(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    mean(alongAxes: axes, keepRank: keepRank)
  }

  /// The mean along axes.
  public func mean(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    floating.reduced("reduce_mean", axes, keepRank)
  }

  /// The least element of all elements.
  public func min(keepRank: Bool = false) -> MLTensor { min(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The least element along axes.
  public func min(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    min(alongAxes: axes, keepRank: keepRank)
  }

  /// The least element along axes.
  public func min(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_min", axes, keepRank)
  }

  /// The greatest element of all elements.
  public func max(keepRank: Bool = false) -> MLTensor { max(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The greatest element along axes.
  public func max(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    max(alongAxes: axes, keepRank: keepRank)
  }

  /// The greatest element along axes.
  public func max(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_max", axes, keepRank)
  }

  /// The product of all elements.
  public func product(keepRank: Bool = false) -> MLTensor { product(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The product along axes.
  public func product(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    product(alongAxes: axes, keepRank: keepRank)
  }

  /// The product along axes.
  public func product(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_prod", axes, keepRank)
  }

  /// Whether all elements are true.
  public func all(keepRank: Bool = false) -> MLTensor { all(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// Whether all elements are true, along axes.
  public func all(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    all(alongAxes: axes, keepRank: keepRank)
  }

  /// Whether all elements are true, along axes.
  public func all(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    cast(.bool).cast(.int32).reduced("reduce_min", axes, keepRank).cast(.bool)
  }

  /// Whether an element is true.
  public func any(keepRank: Bool = false) -> MLTensor { any(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// Whether an element is true, along axes.
  public func any(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    any(alongAxes: axes, keepRank: keepRank)
  }

  /// Whether an element is true, along axes.
  public func any(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    cast(.bool).cast(.int32).reduced("reduce_max", axes, keepRank).cast(.bool)
  }

  /// The place of the greatest element in row-major order, of type `Int32`; the first where there are several.
  public func argmax() -> MLTensor { flattened().argmax(alongAxis: 0) }

  /// The place of the greatest element along an axis, of type `Int32`; the first where there are several.
  public func argmax(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    MLTensor.operation(
      "reduce_argmax", ["x": .tensor(countable), "axis": .int(self.axis(axis)), "keep_dims": .bool(keepRank)])
  }

  /// The place of the least element in row-major order, of type `Int32`; the first where there are several.
  public func argmin() -> MLTensor { flattened().argmin(alongAxis: 0) }

  /// The place of the least element along an axis, of type `Int32`; the first where there are several.
  public func argmin(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    MLTensor.operation(
      "reduce_argmin", ["x": .tensor(countable), "axis": .int(self.axis(axis)), "keep_dims": .bool(keepRank)])
  }

  /// Truth values as numbers.
  var countable: MLTensor { scalar == .bool ? cast(.int32) : self }

  private func reduced(_ type: String, _ axes: [Int], _ keepRank: Bool) -> MLTensor {
    let axes = axes.map { axis($0) }
    precondition(Set(axes).count == axes.count, "an axis is named twice: \(axes)")
    guard !axes.isEmpty else { return self }
    return MLTensor.operation(type, ["x": .tensor(self), "axes": .ints(axes), "keep_dims": .bool(keepRank)])
  }
}
