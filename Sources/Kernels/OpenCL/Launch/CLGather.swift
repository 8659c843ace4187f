/// Sets `count` elements to one value.
public struct CLFill: Sendable {
  private let kernel: OpenCLKernel
  private let elementSize: Int
  private let count: Int
  private let bits: UInt32
  private let index: CLSizes

  /// `bits` is the value's bit pattern; elements have up to four bytes.
  public init(_ context: OpenCLContext, elementSize: Int, count: Int, bits: UInt32) throws {
    guard elementSize <= 4 else {
      throw KernelError(.openCLLaunch, "fill: elements of \(elementSize) bytes, the kernel takes up to 4")
    }
    self.elementSize = elementSize
    self.count = try CLSizes.count([count], "fill")
    self.bits = bits
    index = CLSizes(count)
    kernel = try context.kernel(
      "fill", of: "move", ["INDEX": index.definition, "T": try clMoveType(elementSize)])
  }

  public func enqueue(on queue: OpenCLQueue, y: OpenCLMemory) throws {
    try y.require(count, of: elementSize, "fill: y")
    let size = CLElements(count, kernel)
    try kernel.enqueue(
      on: queue, [.tensor(y, elementSize: elementSize), index.one(count), .int(Int32(bitPattern: bits))],
      global: [size.global], local: [size.local])
  }
}

/// Picks elements along an axis by indices in device memory (`int`, negative ones count from the end). The queue's
/// `finish` throws when one lies outside.
public struct CLGather: Sendable {
  private let kernel: OpenCLKernel
  private let elementSize: Int
  private let counts: (x: Int, indices: Int, y: Int)
  private let pick: OpenCLArgument
  private let index: CLSizes

  /// `y[batch][outer][p][inner] = x[batch][outer][indices[batch][p]][inner]`: MIL's `gather` with the dimensions of `x`
  /// before, between and behind the batch and the axis flattened, and `picks` indices a batch.
  public init(
    _ context: OpenCLContext, elementSize: Int, batch: Int = 1, outer: Int, axis: Int, inner: Int, picks: Int
  ) throws {
    self.elementSize = elementSize
    counts = (
      try CLSizes.count([batch, outer, axis, inner], "gather"), try CLSizes.count([batch, picks], "gather"),
      try CLSizes.count([batch, outer, picks, inner], "gather")
    )
    index = CLSizes(counts.x, counts.indices, counts.y)
    pick = index.many([axis, picks, max(inner, 1), max(outer, 1)])
    kernel = try context.kernel(
      "gather", of: "move", ["INDEX": index.definition, "T": try clMoveType(elementSize)])
  }

  /// `y[outer][p][inner] = x[outer][indices[outer][p][inner]][inner]`: MIL's `gather_along_axis`.
  public init(
    _ context: OpenCLContext, elementSize: Int, alongAxis axis: Int, outer: Int, inner: Int, picks: Int
  ) throws {
    self.elementSize = elementSize
    let count = try CLSizes.count([outer, picks, inner], "gather_along_axis")
    counts = (try CLSizes.count([outer, axis, inner], "gather_along_axis"), count, count)
    index = CLSizes(counts.x, count)
    pick = index.many([axis, max(picks, 1), max(inner, 1), max(outer, 1)])
    kernel = try context.kernel(
      "gather_along", of: "move", ["INDEX": index.definition, "T": try clMoveType(elementSize)])
  }

  public func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, indices: OpenCLMemory, y: OpenCLMemory) throws {
    try x.require(counts.x, of: elementSize, "gather: x")
    try indices.require(counts.indices, of: 4, "gather: indices")
    try y.require(counts.y, of: elementSize, "gather: y")
    let size = CLElements(counts.y, kernel)
    try kernel.enqueue(
      on: queue,
      [
        .tensor(x, elementSize: elementSize), .tensor(indices, elementSize: 4), .tensor(y, elementSize: elementSize),
        pick, index.one(counts.y), .faults,
      ], global: [size.global], local: [size.local])
  }
}

/// MIL's `pad` whose border comes from the input. (A constant border is a `CLFill` and a `CLMove.place`.)
public struct CLPad: Sendable {
  public enum Mode: Int, Sendable {
    /// Mirrors the tensor at its edge, without repeating it: the border is narrower than the dimension.
    case reflect
    /// Repeats the edge.
    case replicate
  }

  private let kernel: OpenCLKernel
  private let elementSize: Int
  private let counts: (x: Int, y: Int)
  private let border: OpenCLArgument
  private let index: CLSizes

  /// `before` and `after` name every dimension of `shape`.
  public init(
    _ context: OpenCLContext, _ mode: Mode, elementSize: Int, shape: [Int], before: [Int], after: [Int]
  ) throws {
    self.elementSize = elementSize
    guard before.count == shape.count, after.count == shape.count, !shape.isEmpty else {
      throw KernelError(.openCLLaunch, "pad: borders \(before) and \(after) for the shape \(shape)")
    }
    var padded: [Int] = []
    for (index, size) in shape.enumerated() {
      let limit = mode == .reflect ? size - 1 : size > 0 ? 1 << 40 : 0
      guard (0...max(limit, 0)).contains(before[index]), (0...max(limit, 0)).contains(after[index]) else {
        throw KernelError(
          .openCLLaunch, "pad: a border of \(before[index]) and \(after[index]) around a dimension of \(size)")
      }
      padded.append(size + before[index] + after[index])
    }
    counts = (try CLSizes.count(shape, "pad"), try CLSizes.count(padded, "pad"))
    index = CLSizes(counts.x, counts.y)
    border = index.many(shape + padded + before)
    kernel = try context.kernel(
      "pad", of: "pad",
      [
        "INDEX": index.definition, "RANK": "\(shape.count)", "MODE": "\(mode.rawValue)",
        "T": try clMoveType(elementSize),
      ])
  }

  public func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try x.require(counts.x, of: elementSize, "pad: x")
    try y.require(counts.y, of: elementSize, "pad: y")
    let size = CLElements(counts.y, kernel)
    try kernel.enqueue(
      on: queue,
      [.tensor(x, elementSize: elementSize), .tensor(y, elementSize: elementSize), border, index.one(counts.y)],
      global: [size.global], local: [size.local])
  }
}
