import CKernels
import MIL

/// Depthwise convolution and pooling in NCHWc. One vector holds all channels of a block at one position. Work items are
/// ranges of channel blocks times ranges of output rows.
struct BlockedWindow: Sendable {
  private let threads: Int
  private let geometry: WindowGeometry
  /// The channel count rounded up to whole blocks.
  private let channels: Int
  private let blocks: Chunks
  private let rows: Chunks

  /// - Parameter size: channels of a block, for fp32 or int8 elements.
  init(_ geometry: WindowGeometry, threads: Int, size: Int = Blocks.size) throws {
    guard geometry.input[0] == 1, geometry.output[0] == 1, geometry.kernel[0] == 1 else {
      throw Refusal("three dimensions")
    }
    guard geometry.inChannels * 2 >= Blocks.size else { throw Refusal("the channels do not fill half a block") }
    try Blocks.requireUsual(geometry)
    (self.geometry, self.threads) = (geometry, threads)
    let pieces = threads == 1 ? 1 : max(4 * threads / geometry.batch, 1)
    let count = (geometry.inChannels + size - 1) / size
    channels = count * size
    blocks = Chunks(count, about: pieces)
    rows = Chunks(geometry.output[1], about: pieces / blocks.count)
  }

  /// Elements of one image of the input, and of one image of the output, with padding channels.
  var images: (input: Int, output: Int) { (channels * geometry.inputArea, channels * geometry.outputArea) }

  /// Calls `body` for parts of images, distributed over the pool. Its arguments are a range of channel blocks, a range
  /// of output rows, the image's offset in the input and in the output, and the thread's index. Offsets are in
  /// elements.
  func run(
    _ frame: CPUFrame,
    _ body: (_ blocks: Range<Int>, _ rows: Range<Int>, _ input: Int, _ output: Int, _ worker: Int) -> Void
  ) {
    let images = images
    frame.pool.run(geometry.batch * blocks.count * rows.count, workers: threads) { items, worker in
      for item in items {
        let (lines, image) = (rows[item % rows.count], item / (rows.count * blocks.count))
        body(blocks[item / rows.count % blocks.count], lines, image * images.input, image * images.output, worker)
      }
    }
  }

  static func depthwise(_ problem: KernelProblem) throws -> Candidate {
    let conv = try problem.convolution()
    let weights = try problem.weight("weight")
    let g = conv.geometry
    guard g.groups == g.inChannels, g.outChannels == g.inChannels, g.groups > 1 else {
      throw Refusal("not one output channel for each input channel")
    }
    let window = try BlockedWindow(g, threads: conv.threads)
    let add = conv.epilogue.add
    let filled = Double(g.inChannels) / Double(Blocks.padded(g.inChannels))
    let candidate = Candidate(efficiency: 0.4 * filled, inPlace: add.map { [$0] } ?? [], packed: [conv.weight]) {
      preparation in
      let packed = try PackedWeights.depthwise(weights, conv.window, preparation)
      return .cpu { frame in
        let input: UnsafePointer<Float> = frame.input(conv.x)
        let output: UnsafeMutablePointer<Float> = frame.output()
        let add = conv.epilogue.add(frame)
        window.run(frame) { blocks, rows, from, to, _ in
          var (shape, epilogue) = (conv.window, conv.epilogue.withoutResidual(frame))
          ck_block_depthwise_f32(
            &shape, input + from, packed.pointer, &epilogue, add.map { $0 + to }, output + to, blocks.lowerBound,
            blocks.upperBound, rows.lowerBound, rows.upperBound)
        }
      }
    }
    return candidate.blocked([conv.x] + (add.map { [$0] } ?? []))
  }

  static func pool(_ problem: KernelProblem) throws -> Candidate {
    try problem.requireScalar(.float32, of: ["x"])
    let geometry = try Pooling.geometry(problem.invocation).straightened
    guard !geometry.isEmpty else { throw Refusal("the pool is empty") }
    let isAverage = problem.operation == "avg_pool"
    if isAverage,
      (0..<3).contains(where: { axis in
        (0..<geometry.output[axis]).contains { geometry.coverage(axis: axis, $0) != geometry.kernel[axis] }
      })
    {
      throw Refusal("windows go beyond the padded input")
    }
    let excluded = try isAverage && problem.invocation.bool("exclude_padding_from_average", default: false)
    let op = !isAverage ? CK_BLOCK_POOL_MAX : excluded ? CK_BLOCK_POOL_AVERAGE_INSIDE : CK_BLOCK_POOL_AVERAGE
    let window = try BlockedWindow(geometry, threads: max(problem.threads, 1))
    let x = try problem.slot("x")
    let candidate = Candidate.cpu(efficiency: 0.2) { frame in
      let input: UnsafePointer<Float> = frame.input(x)
      let output: UnsafeMutablePointer<Float> = frame.output()
      window.run(frame) { blocks, rows, from, to, _ in
        var shape = geometry.window
        ck_block_pool_f32(
          op, &shape, input + from, output + to, blocks.lowerBound, blocks.upperBound, rows.lowerBound, rows.upperBound)
      }
    }
    return candidate.blocked([x])
  }
}
