import MIL

// Slices of a tensor. `nil` selects a whole axis, `...` all axes without an argument. A negative index counts from the
// end.
extension MLTensor {
  /// The slice at the given indices and ranges of the leading axes. The other axes are complete.
  public subscript(ranges: (any MLTensorRangeExpression)?...) -> MLTensor { part(ranges, []) }

  /// The whole tensor.
  public subscript(_: (UnboundedRange_) -> Void) -> MLTensor { self }

  /// The slice at the given indices and ranges of the trailing axes.
  public subscript(_: (UnboundedRange_) -> Void, last: (any MLTensorRangeExpression)?...) -> MLTensor { part([], last) }

  /// The slice at the given index or range of the first axis, and of the trailing axes.
  public subscript(
    first: (any MLTensorRangeExpression)?, _: (UnboundedRange_) -> Void, last: (any MLTensorRangeExpression)?...
  ) -> MLTensor { part([first], last) }

  /// The slice at the given indices or ranges of the first two axes, and of the trailing axes.
  public subscript(
    first: (any MLTensorRangeExpression)?, second: (any MLTensorRangeExpression)?, _: (UnboundedRange_) -> Void,
    last: (any MLTensorRangeExpression)?...
  ) -> MLTensor { part([first, second], last) }

  /// The slice at the given indices or ranges of the first three axes, and of the trailing axes.
  public subscript(
    first: (any MLTensorRangeExpression)?, second: (any MLTensorRangeExpression)?,
    third: (any MLTensorRangeExpression)?, _: (UnboundedRange_) -> Void, last: (any MLTensorRangeExpression)?...
  ) -> MLTensor { part([first, second, third], last) }

  private func part(_ first: [(any MLTensorRangeExpression)?], _ last: [(any MLTensorRangeExpression)?]) -> MLTensor {
    let whole = MLTensorRange(meaning: .range(nil, nil, stride: 1))
    var (before, after) = (first.map { $0?.tensorRange ?? whole }, last.map { $0?.tensorRange ?? whole })
    if after.isEmpty, let rest = before.firstIndex(where: { $0.meaning == .rest }) {
      (before, after) = (Array(before[..<rest]), Array(before[(rest + 1)...]))
    }
    let named = (before + after).count { $0.meaning != .newAxis }
    precondition(named <= rank, "\(named) axes are named of a tensor of shape \(shape)")
    let ranges = before + Array(repeating: whole, count: rank - named) + after
    var result = self
    // The next axis of `result`. An axis with an index is removed by a gather, so graphs with other indices have the
    // same cache key.
    var next = 0
    var bounds: [AxisSlice] = []
    var shape: [Int] = []
    for range in ranges {
      switch range.meaning {
      case .newAxis: shape.append(1)
      case .squeezeAxis:
        precondition(result.shape[next] == 1, "an axis of size \(result.shape[next]) cannot go")
        result = result.squeezingShape(at: next)
      // Only the first `...` selects all remaining axes; another one selects a single whole axis.
      case .rest:
        bounds.append(Self.bounds(nil, nil, 1, result.shape[next]))
        shape.append(result.shape[next])
        next += 1
      case .index(let index):
        let place = index < 0 ? index + result.shape[next] : index
        precondition(
          place >= 0 && place < result.shape[next], "the index \(index) is not within an axis of \(result.shape[next])")
        result = result.gathering(atIndices: MLTensor(Int32(place)), alongAxis: next)
      case .range(let low, let high, let stride):
        let slice = Self.bounds(low, high, stride, result.shape[next])
        bounds.append(slice)
        shape.append((slice.end - slice.begin + stride - 1) / stride)
        next += 1
      }
    }
    let isWhole = zip(bounds, result.shape).allSatisfy { $0.isWhole(of: $1) }
    if !isWhole {
      guard shape.reduce(1, *) > 0 else { return MLTensor(zeros: shape, scalarType: scalarType) }
      result = result.sliced(bounds)
    }
    return result.reshaped(to: shape)
  }

  /// Slices every axis and keeps the rank.
  private func sliced(_ bounds: [AxisSlice]) -> MLTensor {
    // The start of a window is a tensor operand, not a constant. So graphs of windows at other positions have the same
    // cache key.
    guard !zip(bounds, shape).allSatisfy({ $0.isWindow || $0.isWhole(of: $1) }) else {
      let begin = MLTensor(bounds.map { Int32($0.begin) })
      return MLTensor.operation(
        "slice_by_size",
        ["x": .tensor(self), "begin": .tensor(begin), "size": .ints(bounds.map { $0.end - $0.begin })])
    }
    return MLTensor.operation(
      "slice_by_index",
      [
        "x": .tensor(self), "begin": .ints(bounds.map(\.begin)), "end": .ints(bounds.map(\.end)),
        "stride": .ints(bounds.map(\.stride)),
      ])
  }

  /// The begin and end of a range on an axis. Negative bounds count from the end.
  private static func bounds(
    _ low: Int?, _ high: Int?, _ stride: Int, _ size: Int
  ) -> AxisSlice {
    precondition(stride > 0, "the stride \(stride) is not above 0")
    let begin = low.map { $0 < 0 ? $0 + size : $0 } ?? 0
    let end = high.map { $0 < 0 ? $0 + size : $0 } ?? size
    precondition(
      begin >= 0 && end >= begin && end <= size, "the range \(begin)..<\(end) is not within an axis of \(size)")
    return AxisSlice(
      begin: begin, end: end, stride: stride,
      isWindow: low != nil && high != nil && stride == 1 && Int32(exactly: begin) != nil)
  }
}

/// The elements that a subscript selects on one axis.
private struct AxisSlice {
  let begin: Int
  let end: Int
  let stride: Int
  /// Whether both bounds were given, as for a moving window.
  let isWindow: Bool

  func isWhole(of size: Int) -> Bool { begin == 0 && end == size && stride == 1 }
}
