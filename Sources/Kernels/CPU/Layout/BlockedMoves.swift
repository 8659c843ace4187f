import CKernels
import MIL

/// Moves channels between NCHWc tensors: concats, splits and slices along the channel axis, in any order. A target
/// block that equals a source block is copied. Other blocks are assembled lane by lane.
struct BlockedMoves: Sendable {
  /// The operand and channel that a target channel is copied from.
  private typealias Source = (slot: Int, channel: Int)

  private struct Part: @unchecked Sendable {
    let slot: Int
    let block: Int
    /// fp32 elements of an image of the source.
    let image: Int
    /// The source lane of each target lane; negative for lanes of another part. The source pointer is set at run time.
    var part = ck_block_part()

    init(slot: Int, block: Int, image: Int) {
      (self.slot, self.block, self.image) = (slot, block, image)
      for lane in 0..<16 { self[lane] = -1 }
    }

    subscript(lane: Int) -> Int32 {
      get { withUnsafeBytes(of: part.lanes) { $0.load(fromByteOffset: lane * 4, as: Int32.self) } }
      set {
        withUnsafeMutableBytes(of: &part.lanes) { $0.storeBytes(of: newValue, toByteOffset: lane * 4, as: Int32.self) }
      }
    }
  }

  private struct Target {
    let output: Int
    let block: Int
    let parts: Range<Int>
    let isWhole: Bool
  }

  private let images: Int
  private let area: Int
  private let threads: Int
  private let targets: [Target]
  private let parts: [Part]
  /// fp32 elements of an image, by output.
  private let outputs: [Int]
  private let blocks: Chunks

  /// `channels` has the channel count of each source, by slot.
  private init(
    _ shape: (images: Int, channels: Int, area: Int), from channels: [Int: Int], to outputs: [[Source]], threads: Int
  ) {
    let size = Blocks.size
    (images, area) = (shape.images, shape.area)
    self.threads = max(threads, 1)
    var (targets, parts): ([Target], [Part]) = ([], [])
    for (output, sources) in outputs.enumerated() {
      for block in 0..<Blocks.count(sources.count) {
        let first = parts.count
        let lanes = sources[block * size..<min((block + 1) * size, sources.count)]
        for (lane, source) in lanes.enumerated() {
          let place = source.channel / size
          var part = parts[first...].firstIndex { $0.slot == source.slot && $0.block == place } ?? parts.count
          if part == parts.count {
            let image = Blocks.padded(channels[source.slot] ?? 0) * shape.area
            parts.append(Part(slot: source.slot, block: place, image: image))
            part = parts.count - 1
          }
          parts[part][lane] = Int32(source.channel % size)
        }
        // After the copied lanes such a block has the zero padding of the tensor's last block.
        let isWhole =
          parts.count == first + 1 && (0..<lanes.count).allSatisfy { parts[first][$0] == $0 }
          && (lanes.count == size || channels[parts[first].slot] == parts[first].block * size + lanes.count)
        targets.append(Target(output: output, block: block, parts: first..<parts.count, isWhole: isWhole))
      }
    }
    (self.targets, self.parts) = (targets, parts)
    self.outputs = outputs.map { Blocks.padded($0.count) * shape.area }
    blocks = Chunks(targets.count, of: max((1 << 14) / (shape.area * size), 1))
  }

  private func candidate(_ slots: [Int]) -> Candidate {
    let bytes = Blocks.size * MemoryLayout<ck_block_part>.stride
    var candidate = Candidate.cpu(efficiency: 1, scratchBytes: bytes * threads) { frame in
      frame.pool.run(images * blocks.count, workers: threads) { items, worker in
        let memory = (frame.scratch + worker * bytes).assumingMemoryBound(to: ck_block_part.self)
        for item in items {
          for target in blocks[item % blocks.count] { move(frame, item / blocks.count, targets[target], memory) }
        }
      }
    }.blocked(slots)
    for output in outputs.indices { candidate.gives[output] = Blocks.layout }
    if images == 1 { candidate.runs = runs }
    return candidate
  }

  /// Whole blocks that are consecutive both in a source and in a target, within one image.
  private var runs: [Candidate.Run] {
    let length = area * Blocks.size * MemoryLayout<Float>.stride
    var runs: [Candidate.Run] = []
    for target in targets where target.isWhole {
      let part = parts[target.parts.lowerBound]
      let next = Candidate.Run(
        operand: part.slot, source: part.block * length, output: target.output, target: target.block * length,
        count: length)
      if let last = runs.last, let joined = last.followed(by: next) {
        runs[runs.count - 1] = joined
      } else {
        runs.append(next)
      }
    }
    return runs
  }

  private func move(
    _ frame: CPUFrame, _ image: Int, _ target: Target, _ memory: UnsafeMutablePointer<ck_block_part>
  ) {
    let length = area * Blocks.size
    let to = frame.output(target.output, as: Float.self) + image * outputs[target.output] + target.block * length
    for number in target.parts {
      let part = parts[number]
      let from = frame.input(part.slot, as: Float.self) + image * part.image + part.block * length
      if target.isWhole {
        if from != UnsafePointer(to) { to.update(from: from, count: length) }
        return
      }
      let place = memory + (number - target.parts.lowerBound)
      place.pointee = part.part
      place.pointee.in = from
    }
    ck_block_move_f32(memory, target.parts.count, to, area)
  }

  // MARK: operations

  /// The channels are listed one by one. No network has so many that the list needs significant memory.
  private static func requireFew(channels: Int) throws {
    guard channels <= 1 << 16 else { throw Refusal("more than \(1 << 16) channels") }
  }

  static func joined(_ problem: KernelProblem) throws -> Candidate {
    try BlockedElements.requireSingle(problem, ["values"])
    let whole = try problem.outputSizes()
    let shape = try Blocks.shape(whole)
    try requireFew(channels: shape.channels)
    guard try problem.invocation.axis("axis", rank: whole.count) == 1 else { throw Refusal("not along the channels") }
    let slots = problem.slots("values")
    let parts = try slots.indices.map { try problem.sizes("values", $0)[1] }
    var sources: [Source] = []
    if try problem.invocation.bool("interleave", default: false) {
      sources = (0..<whole[1]).map { (slots[$0 % slots.count], $0 / slots.count) }
    } else {
      for (slot, count) in zip(slots, parts) { sources += (0..<count).map { (slot, $0) } }
    }
    let channels = Dictionary(zip(slots, parts), uniquingKeysWith: { first, _ in first })
    return BlockedMoves(shape, from: channels, to: [sources], threads: problem.threads).candidate(slots)
  }

  /// The same blocks under another shape with the same images and channels.
  static func reshaped(_ problem: KernelProblem) throws -> Candidate {
    try BlockedElements.requireSingle(problem, ["x"])
    let (before, after) = (try Blocks.shape(problem.sizes("x")), try Blocks.shape(problem.outputSizes()))
    guard before == after, let bytes = try Blocks.layout.byteCount(of: problem.invocation.tensor("x")) else {
      throw Refusal("other channels than before")
    }
    return Candidate.alias(try problem.slot("x"), byteCount: bytes).blocked([try problem.slot("x")])
  }

  static func split(_ problem: KernelProblem) throws -> Candidate {
    try BlockedElements.requireSingle(problem, ["x"])
    let whole = try problem.sizes("x")
    let shape = try Blocks.shape(whole)
    guard try problem.invocation.axis("axis", rank: whole.count) == 1 else { throw Refusal("not along the channels") }
    try requireFew(channels: shape.channels)
    let x = try problem.slot("x")
    var begin = 0
    let outputs = try problem.outputs.indices.map { output in
      let count = try problem.outputSizes(output)[1]
      defer { begin += count }
      return (begin..<begin + count).map { (slot: x, channel: $0) }
    }
    guard outputs.allSatisfy({ !$0.isEmpty }) else { throw Refusal("a part is empty") }
    return BlockedMoves(shape, from: [x: whole[1]], to: outputs, threads: problem.threads).candidate([x])
  }

  static func sliced(_ problem: KernelProblem) throws -> Candidate {
    try BlockedElements.requireSingle(problem, ["x"])
    let whole = try problem.sizes("x")
    let shape = try Blocks.shape(whole)
    try requireFew(channels: shape.channels)
    let slices = try problem.known { try problem.invocation.slices(of: whole) }
    for (axis, slice) in slices.enumerated() where axis != 1 {
      guard slice.count == whole[axis], slice.stride == 1, !slice.isSqueezed else {
        throw Refusal("other axes are cut")
      }
    }
    guard !slices[1].isSqueezed, slices[1].count > 0 else { throw Refusal("no axis of channels is left") }
    let x = try problem.slot("x")
    let sources = (0..<slices[1].count).map { (slot: x, channel: slices[1].begin + $0 * slices[1].stride) }
    return BlockedMoves(shape, from: [x: whole[1]], to: [sources], threads: problem.threads).candidate([x])
  }
}

extension Candidate.Run {
  /// Both runs as one, if the next begins in the same operand and output where this one ends.
  fileprivate func followed(by next: Candidate.Run) -> Candidate.Run? {
    guard next.operand == operand, next.output == output, next.source == source + count,
      next.target == target + count
    else { return nil }
    return Candidate.Run(operand: operand, source: source, output: output, target: target, count: count + next.count)
  }
}
