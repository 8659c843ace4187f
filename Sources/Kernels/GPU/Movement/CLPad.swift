/// Sets `count` elements to one value.
package struct CLFill: Sendable {
  private let launch: OpenCLLaunch

  /// `bits` is the bit pattern of the value. Elements have at most four bytes.
  package init(_ context: OpenCLContext, elementSize: Int, count: Int, bits: UInt32) throws {
    guard elementSize <= 4 else {
      throw KernelError(.openCLLaunch, "fill: elements of \(elementSize) bytes, the kernel takes up to 4")
    }
    let count = try CLSizes.count([count], "fill")
    let index = CLSizes(count)
    let kernel = try context.kernel(
      "fill", of: .embedded("move"), ["INDEX": index.definition, "T": try clMoveType(elementSize)])
    let size = CLElements(count, kernel)
    launch = try kernel.launch(
      [.memory("y", count: count, size: elementSize), index.one(count), .int(Int32(bitPattern: bits))],
      global: [size.global], local: [size.local])
  }

  package func enqueue(on queue: OpenCLQueue, y: OpenCLMemory) throws { try launch.enqueue(on: queue, y) }
}

/// MIL's `pad` with a border that comes from the input. (A constant border is a `CLFill` and a `CLMove.place`.)
package struct CLPad: Sendable {
  package enum Mode: Int, Sendable {
    /// Mirrors the tensor at its edge without repeating the edge. The border is narrower than the dimension.
    case reflect
    /// Repeats the edge.
    case replicate
  }

  private let launch: OpenCLLaunch

  /// `before` and `after` have one element for each dimension of `shape`.
  package init(
    _ context: OpenCLContext, _ mode: Mode, elementSize: Int, shape: [Int], before: [Int], after: [Int]
  ) throws {
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
    let counts = (x: try CLSizes.count(shape, "pad"), y: try CLSizes.count(padded, "pad"))
    let index = CLSizes(counts.x, counts.y)
    let kernel = try context.kernel(
      "pad", of: .embedded("pad"),
      [
        "INDEX": index.definition, "RANK": "\(shape.count)", "MODE": "\(mode.rawValue)",
        "T": try clMoveType(elementSize),
      ])
    let size = CLElements(counts.y, kernel)
    launch = try kernel.launch(
      [
        .memory("x", count: counts.x, size: elementSize), .memory("y", count: counts.y, size: elementSize),
        index.many(shape + padded + before), index.one(counts.y),
      ], global: [size.global], local: [size.local])
  }

  package func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, y)
  }
}
