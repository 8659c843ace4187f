/// MIL's `one_hot`: `y[outer][p][inner]` is `on` if `indices[outer][inner]` is `p`, otherwise `off`.
struct CLOneHot: Sendable {
  private let launch: OpenCLLaunch

  /// `on` and `off` are the bit patterns of the values. Elements have at most four bytes.
  init(
    _ context: OpenCLContext, elementSize: Int, indices: CLGather.Indices, outer: Int, axis: Int, inner: Int,
    on: UInt32, off: UInt32
  ) throws {
    guard elementSize <= 4 else { throw KernelError(.openCLLaunch, "one_hot: elements of \(elementSize) bytes") }
    let counts = (
      x: try CLSizes.count([outer, inner], "one_hot"), y: try CLSizes.count([outer, axis, inner], "one_hot")
    )
    let index = CLSizes(counts.x, counts.y)
    launch = try context.each(
      "one_hot", of: "make", ["T": try clMoveType(elementSize), "PICK": indices.type], index, count: counts.y,
      [
        .memory("indices", count: counts.x, size: indices.size), .memory("y", count: counts.y, size: elementSize),
        index.one(max(axis, 1)), index.one(max(inner, 1)), .int(Int32(bitPattern: on)), .int(Int32(bitPattern: off)),
        index.one(counts.y),
      ])
  }

  func enqueue(on queue: OpenCLQueue, indices: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, indices, y)
  }
}

/// MIL's `band_part` of matrices `[..][rows][columns]`.
struct CLBandPart: Sendable {
  private let launch: OpenCLLaunch

  init(_ context: OpenCLContext, elementSize: Int, shape: [Int], lower: Int, upper: Int) throws {
    guard shape.count >= 2 else { throw KernelError(.openCLLaunch, "band_part: no matrices, \(shape)") }
    let count = try CLSizes.count(shape, "band_part")
    let index = CLSizes(count)
    let memory = ["x", "y"].map { OpenCLParameter.memory($0, count: count, size: elementSize) }
    launch = try context.each(
      "band_part", of: "make", ["T": try clMoveType(elementSize)], index, count: count,
      memory + shape.suffix(2).map { index.one(max($0, 1)) } + [
        .long(Int64(lower)), .long(Int64(upper)), index.one(count),
      ])
  }

  /// `x` and `y` may be the same memory.
  func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws { try launch.enqueue(on: queue, x, y) }
}

/// MIL's `reverse_sequence`. The queue's `finish` throws for an invalid length.
struct CLReverseSequence: Sendable {
  private let launch: OpenCLLaunch

  init(
    _ context: OpenCLContext, elementSize: Int, lengths: CLGather.Indices, shape: [Int], axis: Int, batchAxis: Int
  ) throws {
    guard shape.indices.contains(axis), shape.indices.contains(batchAxis) else {
      throw KernelError(.openCLLaunch, "reverse_sequence: the axes \(axis) and \(batchAxis) of \(shape)")
    }
    let count = try CLSizes.count(shape, "reverse_sequence")
    let index = CLSizes(count)
    let strides = CLSizes.strides(shape)
    launch = try context.each(
      "reverse_sequence", of: "make", ["T": try clMoveType(elementSize), "PICK": lengths.type], index, count: count,
      [
        .memory("x", count: count, size: elementSize),
        .memory("lengths", count: shape[batchAxis], size: lengths.size),
        .memory("y", count: count, size: elementSize),
      ] + [shape[axis], strides[axis], shape[batchAxis], strides[batchAxis]].map { index.one(max($0, 1)) } + [
        index.one(count), .faults,
      ])
  }

  func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, lengths: OpenCLMemory, y: OpenCLMemory) throws {
    try launch.enqueue(on: queue, x, lengths, y)
  }
}

/// MIL's `space_to_batch` and `batch_to_space`.
struct CLBlocks: Sendable {
  private let launch: OpenCLLaunch

  /// `image` is [images, channels, height, width]. `blocks` has the same axes; its first axis is positions within a
  /// block, times images. `before` is the offset of the image in its padded or uncropped extent.
  init(
    _ context: OpenCLContext, elementSize: Int, image: [Int], blocks: [Int], block: [Int], before: [Int],
    intoBatch: Bool
  ) throws {
    guard image.count == 4, blocks.count == 4, block.count == 2, before.count == 2, block.allSatisfy({ $0 > 0 }),
      before.allSatisfy({ $0 >= 0 }), before.allSatisfy({ $0 <= 1 << 29 }), block.allSatisfy({ $0 <= 1 << 29 })
    else { throw KernelError(.openCLLaunch, "blocks of \(block) in \(image) and \(blocks)") }
    let counts = (image: try CLSizes.count(image, "blocks"), blocks: try CLSizes.count(blocks, "blocks"))
    // A padded position is less than the product of the block count and the block size.
    let extent = try (0..<2).map { try CLSizes.count([max(blocks[$0 + 2], 1), block[$0]], "blocks") }
    let index = CLSizes(counts.image, counts.blocks, extent[0], extent[1])
    let (from, to) = intoBatch ? (counts.image, counts.blocks) : (counts.blocks, counts.image)
    launch = try context.each(
      intoBatch ? "space_to_batch" : "batch_to_space", of: "make", ["T": try clMoveType(elementSize)], index, count: to,
      [
        .memory("x", count: from, size: elementSize), .memory("y", count: to, size: elementSize),
        index.many(image + blocks.suffix(2) + block + before), index.one(to),
      ])
  }

  func enqueue(on queue: OpenCLQueue, x: OpenCLMemory, y: OpenCLMemory) throws { try launch.enqueue(on: queue, x, y) }
}
