/// The slice of one axis: `count` elements starting at `begin`, `stride` apart (NumPy's rules, clamped to the axis).
package struct SliceAxis: Sendable, Hashable {
  package var begin: Int
  /// Not zero; may be negative.
  package var stride: Int
  package var count: Int
  /// The axis is indexed rather than sliced, and removed from the result's shape.
  package var isSqueezed: Bool

  package init(begin: Int, stride: Int, count: Int, isSqueezed: Bool = false) {
    self.begin = begin
    self.stride = stride
    self.count = count
    self.isSqueezed = isSqueezed
  }

  /// Python's `begin:end:stride` for an axis of `size`. Nil bounds are the ends of the axis in the direction of the
  /// stride.
  package init(_ begin: Int?, _ end: Int?, _ stride: Int, size: Int) {
    func clamped(_ index: Int) -> Int {
      let fromFront = index < 0 ? index + size : index
      return stride > 0 ? Swift.min(Swift.max(fromFront, 0), size) : Swift.min(Swift.max(fromFront, -1), size - 1)
    }
    let first = begin.map(clamped) ?? (stride > 0 ? 0 : size - 1)
    let last = end.map(clamped) ?? (stride > 0 ? size : -1)
    let span = stride > 0 ? last - first : first - last
    let step = Int(Swift.min(stride.magnitude, UInt(Int32.max)))
    self.init(begin: first, stride: stride > 0 ? step : -step, count: span > 0 ? (span - 1) / step + 1 : 0)
  }
}

extension Invocation {
  /// The slices given by `begin`, `end`, `stride` and the masks of `slice_by_index` and `slice_update`, by axis. Throws
  /// `.unknownValue` if a bound is only known at run time.
  package func slices(of shape: [Int]) throws -> [SliceAxis] {
    let bounds = try SliceBounds(self, rank: shape.count)
    guard let begin = bounds.begin, let end = bounds.end else {
      throw error(.unknownValue, "the bounds of the slice are only known at run time")
    }
    return try shape.indices.map { axis in
      if bounds.squeezeMask[axis] {
        let index = bounds.beginMask[axis] ? 0 : begin[axis]
        return SliceAxis(
          begin: try normalized(index, size: shape[axis], axis), stride: 1, count: 1, isSqueezed: true)
      }
      return SliceAxis(
        bounds.beginMask[axis] ? nil : begin[axis], bounds.endMask[axis] ? nil : end[axis], bounds.stride[axis],
        size: shape[axis])
    }
  }

  private func normalized(_ index: Int, size: Int, _ axis: Int) throws -> Int {
    guard index >= -size, index < size else {
      throw error(.invalidArgument, "index \(index) is outside of axis \(axis), which has \(size) elements")
    }
    return index < 0 ? index + size : index
  }

  /// The shape of the slice. Sizes that depend on run-time values are unknown.
  func slicedShape(of shape: [Dimension]) throws -> [Dimension] {
    let bounds = try SliceBounds(self, rank: shape.count)
    return shape.indices.compactMap { axis in
      if bounds.squeezeMask[axis] { return nil }
      let begin = bounds.beginMask[axis] ? nil : bounds.begin?[axis]
      let end = bounds.endMask[axis] ? nil : bounds.end?[axis]
      let isKnown = (bounds.beginMask[axis] || bounds.begin != nil) && (bounds.endMask[axis] || bounds.end != nil)
      guard isKnown else { return .unknown }
      guard let size = shape[axis].value else { return .unknown }
      return Dimension(SliceAxis(begin, end, bounds.stride[axis], size: size).count)
    }
  }
}

/// The arguments of a slice, checked against the rank of its operand. Bounds of last axes that masks ignore may be
/// omitted: coremltools writes `x[i]` this way if `i` is only known at run time.
private struct SliceBounds {
  /// Nil if only known at run time.
  let begin: [Int]?
  let end: [Int]?
  let stride: [Int]
  let beginMask: [Bool]
  let endMask: [Bool]
  let squeezeMask: [Bool]

  init(_ call: Invocation, rank: Int) throws {
    func vector<T>(_ name: String, _ all: [T]?) throws -> [T]? {
      if let all, all.count != rank {
        throw call.error(.invalidArgument, "'\(name)' has \(all.count) values for a tensor of rank \(rank)")
      }
      return all
    }
    func mask(_ name: String) throws -> [Bool] {
      guard call.has(name) else { return Array(repeating: false, count: rank) }
      return try vector(name, call.located { try call.constant(name).bools() }) ?? []
    }
    func bounds(_ name: String, _ mask: [Bool]) throws -> [Int]? {
      guard let all = try call.intsIfKnown(name), all.count < rank, mask[all.count...].allSatisfy(\.self) else {
        return try vector(name, call.intsIfKnown(name))
      }
      return all + Array(repeating: 0, count: rank - all.count)
    }
    stride = try vector("stride", call.ints("stride", default: Array(repeating: 1, count: rank))) ?? []
    guard !stride.contains(0) else { throw call.error(.invalidArgument, "'stride' has a 0: \(stride)") }
    beginMask = try mask("begin_mask")
    endMask = try mask("end_mask")
    begin = try bounds("begin", beginMask)
    end = try bounds("end", endMask)
    squeezeMask = try mask("squeeze_mask")
  }
}
