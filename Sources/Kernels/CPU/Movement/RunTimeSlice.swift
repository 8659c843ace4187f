import MIL

/// A slice whose size is known at planning and whose offset is known only at run time. An example is the position in a
/// KV cache. Everything but the offset is computed in advance, so that a run does not allocate.
struct RunTimeSlice: Sendable {
  /// One bound of an axis.
  enum Bound: Sendable {
    /// The bound of the tensor.
    case open
    case known(Int)
    /// A 32-bit element of an operand, read at run time.
    case read(slot: Int, index: Int)

    fileprivate func value(_ frame: CPUFrame) -> Int? {
      switch self {
      case .open: nil
      case .known(let value): value
      case .read(let slot, let index): Int(frame.inputs[slot].loadUnaligned(fromByteOffset: 4 * index, as: Int32.self))
      }
    }
  }

  struct Axis: Sendable {
    let begin: Bound
    let end: Bound
    let step: Int
    let size: Int
    /// Elements of the tensor from one index to the next.
    let stride: Int
    /// The planned number of elements. Nil for an axis that is indexed.
    let count: Int?
  }

  private(set) var axes: [Axis] = []
  /// The shape of the slice, and its strides in the tensor.
  let shape: [Int]
  private(set) var strides: [Int] = []
  /// Whether bounds outside of the tensor are clamped to it.
  private let isClamped: Bool

  /// The slice of `slice_by_index` and `slice_update`. Nil if more than its bounds is unknown until run time, or if the
  /// bounds are not int32.
  init?(indexing problem: KernelProblem, of sizes: [Int], planned: [Int]) throws {
    guard let stride = try Self.numbers("stride", problem, sizes.count, otherwise: 1),
      let beginMask = try Self.numbers("begin_mask", problem, sizes.count, otherwise: 0),
      let endMask = try Self.numbers("end_mask", problem, sizes.count, otherwise: 0),
      let squeezeMask = try Self.numbers("squeeze_mask", problem, sizes.count, otherwise: 0),
      let begin = try Self.bounds("begin", problem, beginMask), let end = try Self.bounds("end", problem, endMask),
      !stride.contains(0), squeezeMask.count(where: { $0 == 0 }) == planned.count
    else { return nil }
    shape = planned
    isClamped = true
    var counts = planned.makeIterator()
    for (axis, distance) in zip(sizes.indices, rowMajorStrides(sizes)) {
      let isIndexed = squeezeMask[axis] != 0
      let step = SliceAxis(nil, nil, stride[axis], size: sizes[axis]).stride
      axes.append(
        Axis(
          begin: isIndexed && beginMask[axis] != 0 ? .known(0) : begin[axis], end: end[axis], step: step,
          size: sizes[axis], stride: distance, count: isIndexed ? nil : counts.next()))
      if !isIndexed { strides.append(distance * step) }
    }
  }

  /// The slice of `slice_by_size`.
  init?(sizing problem: KernelProblem, of sizes: [Int], planned: [Int]) throws {
    guard let size = try Self.numbers("size", problem, sizes.count, otherwise: -1), planned.count == sizes.count,
      let begin = try Self.bounds("begin", problem, sizes.map { _ in 0 }),
      zip(size, planned).allSatisfy({ $0 == -1 || $0 == $1 })
    else { return nil }
    shape = planned
    isClamped = false
    strides = rowMajorStrides(sizes)
    for axis in sizes.indices {
      axes.append(
        Axis(
          begin: begin[axis], end: size[axis] == -1 ? .open : .known(size[axis]), step: 1, size: sizes[axis],
          stride: strides[axis], count: planned[axis]))
    }
  }

  /// The constant values of an argument. Nil if they are not known, or are not one for each axis.
  private static func numbers(_ name: String, _ problem: KernelProblem, _ rank: Int, otherwise: Int) throws -> [Int]? {
    guard problem.invocation.has(name) else { return Array(repeating: otherwise, count: rank) }
    guard let tensor = problem.invocation.valueIfKnown(name)?.tensor, tensor.count == rank else { return nil }
    return try tensor.scalar == .bool ? tensor.bools().map { $0 ? 1 : 0 } : tensor.ints()
  }

  /// The bounds of the last axes may be missing if a mask hides them.
  private static func bounds(_ name: String, _ problem: KernelProblem, _ mask: [Int]) throws -> [Bound]? {
    let type = try problem.invocation.tensor(name)
    guard type.scalar == .int32, let count = type.elementCount, count <= mask.count,
      mask[count...].allSatisfy({ $0 != 0 })
    else { return nil }
    let slot = try problem.slot(name)
    let known = try problem.invocation.valueIfKnown(name)?.tensor?.ints()
    return mask.indices.map { axis in
      guard mask[axis] == 0 else { return .open }
      return known.map { .known($0[axis]) } ?? .read(slot: slot, index: axis)
    }
  }

  /// The offset of the slice in the tensor, in elements. Nil if the slice differs from the planned one.
  func offset(_ frame: CPUFrame) -> Int? {
    var offset = 0
    // Iterates over indices, because a loop over elements allocates in debug builds.
    for index in axes.indices {
      guard let begin = isClamped ? clamped(axes[index], frame) : sized(axes[index], frame) else { return nil }
      offset += begin * axes[index].stride
    }
    return offset
  }

  private func clamped(_ axis: Axis, _ frame: CPUFrame) -> Int? {
    let begin = axis.begin.value(frame)
    guard let count = axis.count else {
      guard let begin, begin >= -axis.size, begin < axis.size else { return nil }
      return begin < 0 ? begin + axis.size : begin
    }
    let found = SliceAxis(begin, axis.end.value(frame), axis.step, size: axis.size)
    guard found.count == count else { return nil }
    // An empty slice reads nothing, so its begin may be past the end.
    return count == 0 ? 0 : found.begin
  }

  private func sized(_ axis: Axis, _ frame: CPUFrame) -> Int? {
    guard let begin = axis.begin.value(frame), let count = axis.count else { return nil }
    let first = begin < 0 ? begin + axis.size : begin
    let size = axis.end.value(frame) ?? axis.size - first
    guard first >= 0, size == count, first <= axis.size - count else { return nil }
    return count == 0 ? 0 : first
  }
}
