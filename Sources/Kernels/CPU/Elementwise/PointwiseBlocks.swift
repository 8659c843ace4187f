import CKernels
import MIL

/// Chains of functions over NCHWc tensors in one pass over memory. An operand is an NCHWc tensor of the result's shape,
/// or has one element for each channel, or a single element. The zero padding of the last block stays zero.
struct PointwiseBlocks: Sendable {
  private enum Kind: Sendable { case whole, channels, one }

  /// Elements of a tile.
  private static let size = 2048
  /// Bytes before the tile buffers (rooms), for a count and strides.
  private static let head = 64

  private let chain: PointwiseSteps
  private let kinds: [Kind]
  /// For each operand with one element for each channel, the distance from one image to the next, in elements.
  private let imageSteps: [Int]
  private let shape: (images: Int, channels: Int, area: Int)
  private let pieces: Chunks
  private let workers: Int

  init(_ problem: KernelProblem) throws {
    let output = try problem.outputSizes()
    let shape = try Blocks.shape(output)
    let chain = try PointwiseSteps(problem)
    var imageSteps: [Int] = []
    let kinds = try chain.sizes.map { sizes -> Kind in
      imageSteps.append(0)
      if sizes == output { return .whole }
      guard sizes.count <= output.count else { throw Refusal("an operand has more axes than the result") }
      let padded = Array(repeating: 1, count: output.count - sizes.count) + sizes
      if padded.allSatisfy({ $0 == 1 }) { return .one }
      guard padded[2...].allSatisfy({ $0 == 1 }), padded[1] == shape.channels, [1, shape.images].contains(padded[0])
      else { throw Refusal("an operand is not a number for each channel") }
      if padded[0] != 1 { imageSteps[imageSteps.count - 1] = shape.channels }
      return .channels
    }
    for step in chain.steps {
      // With two operands that are both smaller than the result, neither may have its shape.
      let sources = [step.x] + (step.y.map { [$0] } ?? [])
      guard sources.contains(where: { $0.isRoom || kinds[$0.number] == .whole }) else {
        throw Refusal("no operand of a step has the shape of the result")
      }
      guard step.y != nil else { continue }
      guard BlockedElements.binaries.contains(where: { $0.1 == step.binary }) else {
        throw Refusal("no NCHWc kernel has the function of two operands")
      }
    }
    (self.chain, self.kinds, self.shape, self.imageSteps) = (chain, kinds, shape, imageSteps)
    workers = problem.threads
    pieces = Chunks(shape.area, of: Self.size / Blocks.size)
  }

  var candidate: Candidate {
    let whole = zip(chain.slots, kinds).filter { $0.1 == .whole }.map(\.0)
    let blocks = Blocks.count(shape.channels)
    return Candidate.cpu(efficiency: 0.08, scratchBytes: workers * room, inPlace: whole) { frame in
      let grain = max(4 * Self.size / (pieces.size * Blocks.size), 1)
      frame.pool.run(shape.images * blocks * pieces.count, grain: grain, workers: workers) { tiles, worker in
        for tile in tiles { run(tile, blocks, frame, frame.scratch + worker * room) }
      }
      guard shape.channels % Blocks.size != 0 else { return }
      let target = frame.output(0, as: Float.self)
      for image in 0..<shape.images {
        ck_block_clear_f32(target + image * blocks * Blocks.size * shape.area, shape.channels, shape.area)
      }
    }.blocked(whole)
  }

  private var room: Int { Self.head + chain.rooms * Self.size * 4 }

  private func run(_ tile: Int, _ blocks: Int, _ frame: CPUFrame, _ memory: UnsafeMutableRawPointer) {
    let piece = pieces[tile % pieces.count]
    let (image, block) = (tile / pieces.count / blocks, tile / pieces.count % blocks)
    let place = ((image * blocks + block) * shape.area + piece.lowerBound) * Blocks.size
    let rooms = (memory + Self.head).assumingMemoryBound(to: Float.self)
    let numbers = memory.assumingMemoryBound(to: Int.self)
    let (x, y) = (numbers + 1, numbers + 2)
    numbers[0] = piece.count * Blocks.size
    for number in chain.steps.indices {
      let step = chain.steps[number]
      var target = frame.output(0, as: Float.self) + place
      if let room = step.room { target = rooms + room * Self.size }
      let first = source(step.x, frame, rooms, place, image, block, x)
      guard let other = step.y else {
        ck_unary_f32(step.unary, step.alpha, step.beta, first, target, numbers[0])
        continue
      }
      let second = source(other, frame, rooms, place, image, block, y)
      if x[0] < 0 || y[0] < 0 {
        ck_block_channels_binary_f32(
          step.binary, x[0] < 0, x[0] < 0 ? second : first, x[0] < 0 ? first : second, target,
          shape.channels - block * Blocks.size, piece.count, 0, 1)
      } else {
        _ = ck_binary_f32(step.binary, first, second, target, 1, numbers, x, y)
      }
    }
  }

  /// The first element of a source in the tile. Writes its stride: -1 for one element for each channel.
  private func source(
    _ source: PointwiseSteps.Source, _ frame: CPUFrame, _ rooms: UnsafeMutablePointer<Float>, _ place: Int,
    _ image: Int, _ block: Int, _ step: UnsafeMutablePointer<Int>
  ) -> UnsafePointer<Float> {
    step[0] = 1
    if source.isRoom { return UnsafePointer(rooms + source.number * Self.size) }
    let memory = frame.input(chain.slots[source.number], as: Float.self)
    switch kinds[source.number] {
    case .whole: return memory + place
    case .one:
      step[0] = 0
      return memory
    case .channels:
      step[0] = -1
      return memory + image * imageSteps[source.number] + block * Blocks.size
    }
  }
}
