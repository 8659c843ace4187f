import MIL

// Reductions over all elements or along axes. The reduced axes are removed, or kept with size 1.
extension MLTensor {
  /// The sum of all elements. Booleans count as 0 and 1 (`Int32`).
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func sum(keepRank: Bool = false) -> MLTensor { sum(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The sum along axes. Booleans count as 0 and 1 (`Int32`).
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func sum(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    sum(alongAxes: axes, keepRank: keepRank)
  }

  /// The sum along axes. Booleans count as 0 and 1 (`Int32`).
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func sum(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_sum", axes, keepRank)
  }

  /// The mean of all elements. Types other than floating point are converted to `Float`.
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func mean(keepRank: Bool = false) -> MLTensor { mean(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The mean along axes. Types other than floating point are converted to `Float`.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func mean(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    mean(alongAxes: axes, keepRank: keepRank)
  }

  /// The mean along axes. Types other than floating point are converted to `Float`.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func mean(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    floating.reduced("reduce_mean", axes, keepRank)
  }

  /// The minimum of all elements.
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func min(keepRank: Bool = false) -> MLTensor { min(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The minimum along axes.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func min(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    min(alongAxes: axes, keepRank: keepRank)
  }

  /// The minimum along axes.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func min(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_min", axes, keepRank)
  }

  /// The maximum of all elements.
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func max(keepRank: Bool = false) -> MLTensor { max(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The maximum along axes.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func max(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    max(alongAxes: axes, keepRank: keepRank)
  }

  /// The maximum along axes.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func max(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_max", axes, keepRank)
  }

  /// The product of all elements. Booleans count as 0 and 1 (`Int32`).
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func product(keepRank: Bool = false) -> MLTensor { product(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// The product along axes. Booleans count as 0 and 1 (`Int32`).
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func product(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    product(alongAxes: axes, keepRank: keepRank)
  }

  /// The product along axes. Booleans count as 0 and 1 (`Int32`).
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func product(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    countable.reduced("reduce_prod", axes, keepRank)
  }

  /// Whether all elements are true (not 0). The result is boolean.
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func all(keepRank: Bool = false) -> MLTensor { all(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// Whether all elements along axes are true (not 0). The result is boolean.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func all(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    all(alongAxes: axes, keepRank: keepRank)
  }

  /// Whether all elements along axes are true (not 0). The result is boolean.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func all(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    cast(.bool).cast(.int32).reduced("reduce_min", axes, keepRank).cast(.bool)
  }

  /// Whether any element is true (not 0). The result is boolean.
  ///
  /// - Parameter keepRank: whether the reduced axes are kept with size 1.
  public func any(keepRank: Bool = false) -> MLTensor { any(alongAxes: Array(0..<rank), keepRank: keepRank) }

  /// Whether any element along axes is true (not 0). The result is boolean.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func any(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    any(alongAxes: axes, keepRank: keepRank)
  }

  /// Whether any element along axes is true (not 0). The result is boolean.
  ///
  /// - Parameters:
  ///   - axes: the axes to reduce, each at most once; a negative axis counts from the last one.
  ///   - keepRank: whether the reduced axes are kept with size 1.
  public func any(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    cast(.bool).cast(.int32).reduced("reduce_max", axes, keepRank).cast(.bool)
  }

  /// The index of the largest element in row-major order, of type `Int32`; the first one on a tie.
  public func argmax() -> MLTensor { flattened().argmax(alongAxis: 0) }

  /// The index of the largest element along an axis, of type `Int32`; the first one on a tie.
  ///
  /// - Parameter keepRank: whether the axis is kept with size 1.
  public func argmax(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    MLTensor.operation(
      "reduce_argmax", ["x": .tensor(countable), "axis": .int(self.axis(axis)), "keep_dims": .bool(keepRank)])
  }

  /// The index of the smallest element in row-major order, of type `Int32`; the first one on a tie.
  public func argmin() -> MLTensor { flattened().argmin(alongAxis: 0) }

  /// The index of the smallest element along an axis, of type `Int32`; the first one on a tie.
  ///
  /// - Parameter keepRank: whether the axis is kept with size 1.
  public func argmin(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    MLTensor.operation(
      "reduce_argmin", ["x": .tensor(countable), "axis": .int(self.axis(axis)), "keep_dims": .bool(keepRank)])
  }

  /// Booleans converted to integers; other types unchanged.
  var countable: MLTensor { scalar == .bool ? cast(.int32) : self }

  private func reduced(_ type: String, _ axes: [Int], _ keepRank: Bool) -> MLTensor {
    let axes = axes.map { axis($0) }
    precondition(Set(axes).count == axes.count, "an axis is named twice: \(axes)")
    guard !axes.isEmpty else { return self }
    return MLTensor.operation(type, ["x": .tensor(self), "axes": .ints(axes), "keep_dims": .bool(keepRank)])
  }
}
