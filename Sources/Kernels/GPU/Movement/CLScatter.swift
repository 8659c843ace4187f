import MIL

/// Writes updates to indexed positions: MIL's `scatter`, `scatter_along_axis` and `scatter_nd`. Several updates of the
/// same position apply in order. The queue's `finish` throws if an index is outside of its axis.
struct CLScatter: Sendable {
  /// The kernel that computes it.
  enum Way: String, Sendable, CaseIterable {
    /// A work-item computes one element of the result and reads every index.
    case elements
    /// A work-item applies all updates of one outer and inner position. Intermediate integer results might overflow.
    case columns
  }

  /// `data` is `[outer][axes][inner]`, `updates` is `[outer][picks][inner]`. A row of indices selects a position along
  /// the axes for all outer and inner positions. With `isAlong` there is one axis, and each update has its own index.
  struct Shape: Sendable, Hashable {
    var outer: Int
    var axes: [Int]
    var inner: Int
    var picks: Int
    var isAlong = false

    fileprivate func counts() throws(KernelError) -> (data: Int, indices: Int, updates: Int, extent: Int) {
      let extent = try CLSizes.count(axes, "scatter")
      let updates = try CLSizes.count([outer, picks, inner], "scatter")
      return (
        try CLSizes.count([outer, extent, inner], "scatter"),
        isAlong ? updates : try CLSizes.count([picks, axes.count], "scatter"), updates, extent
      )
    }
  }

  private let launch: OpenCLLaunch
  private let way: Way
  private let byteCount: Int

  /// The reason why `way` does not support a scatter. Nil if it does.
  static func refusal(of shape: Shape, _ mode: ScatterMode, _ scalar: ScalarType, by way: Way) throws -> String? {
    guard (1...8).contains(shape.axes.count), !shape.isAlong || shape.axes.count == 1 else {
      return "indices of \(shape.axes.count) numbers"
    }
    guard mode == .update || scalar == .float32 || scalar == .int32 else {
      return "the kernel takes fp32 and int32, but for updates"
    }
    let counts = try shape.counts()
    guard counts.data <= 1 << 40, counts.updates <= 1 << 40 else { return "tensors of that size" }
    switch way {
    case .elements:
      let (steps, overflow) = counts.data.multipliedReportingOverflow(by: max(shape.picks, 1))
      return !overflow && steps <= 1 << 34 ? nil : "\(shape.picks) indices for each of \(counts.data) elements"
    case .columns:
      return scalar == .int32 && ![.update, .max, .min].contains(mode)
        ? "integers are combined with all of their updates at once" : nil
    }
  }

  init(
    _ context: OpenCLContext, _ shape: Shape, _ mode: ScatterMode, of scalar: ScalarType, indices: CLGather.Indices,
    by way: Way
  ) throws {
    if let reason = try Self.refusal(of: shape, mode, scalar, by: way) {
      throw KernelError(.openCLLaunch, "scatter: \(reason)")
    }
    let counts = try shape.counts()
    let size = scalar.bitWidth / 8
    let isInteger = mode != .update && scalar == .int32
    let type = mode == .update ? try clMoveType(size) : isInteger ? "int" : "float"
    let definitions = [
      "T": type, "SUM": isInteger ? "long" : type, "REAL": isInteger ? "0" : "1", "PICK": indices.type,
      "MODE": "\(ScatterMode.allCases.firstIndex(of: mode) ?? 0)", "STRICT": indices.isStrict ? "1" : "0",
      "DEPTH": "\(shape.axes.count)", "ALONG": shape.isAlong ? "1" : "0",
    ]
    let index = CLSizes(counts.data, counts.indices, counts.updates)
    let columns = shape.outer * shape.inner
    let memory = [
      OpenCLParameter.memory("data", count: counts.data, size: size),
      .memory("indices", count: counts.indices, size: indices.size),
      .memory("updates", count: counts.updates, size: size), .memory("y", count: counts.data, size: size),
    ]
    let sizes = index.many(shape.axes + [counts.extent, shape.picks, max(shape.inner, 1)])
    let count = way == .elements ? counts.data : columns
    launch = try context.each(
      "scatter_\(way.rawValue)", of: "scatter", definitions, index, count: count,
      (way == .elements ? memory : Array(memory.dropFirst())) + [sizes, index.one(count), .faults])
    self.way = way
    byteCount = try CLSizes.count([counts.data, size], "scatter")
  }

  /// `y` may be the memory of `data`.
  func enqueue(
    on queue: OpenCLQueue, data: OpenCLMemory, indices: OpenCLMemory, updates: OpenCLMemory, y: OpenCLMemory
  ) throws {
    switch way {
    case .elements: try launch.enqueue(on: queue, data, indices, updates, y)
    case .columns:
      try queue.copy(data, unlessAt: y, byteCount: byteCount)
      try launch.enqueue(on: queue, indices, updates, y)
    }
  }
}

extension OpenCLQueue {
  /// Copies the first bytes of `source` to `target`, unless both are the same memory.
  func copy(_ source: OpenCLMemory, unlessAt target: OpenCLMemory, byteCount: Int) throws(KernelError) {
    guard source.buffer !== target.buffer || source.byteOffset != target.byteOffset else { return }
    try copy(source.range(byteOffset: 0, byteCount: byteCount), to: target)
  }
}
