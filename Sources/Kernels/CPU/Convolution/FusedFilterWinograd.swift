import CKernels
import MIL

/// Winograd convolution with on-the-fly filter transform: the kernel transforms a filter each time before it multiplies
/// by it. The weights have the size and the packed layout of a direct convolution. With few tiles, this is faster than
/// to read transformed filters from memory.
///
/// The tiles of all images form one sequence, which is split into chunks. Each chunk is transformed and then
/// multiplied.
struct FusedFilterWinograd: Sendable {
  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let keepsF16: Bool
  private let tile: Int
  /// The chunks of the sequence of all images' tiles.
  private let turns: Chunks
  private let units: Chunks
  /// Whether each thread processes whole chunks alone. Otherwise the chunks are processed one after the other, and all
  /// threads share a chunk: its input blocks in the transform, its units in the product.
  private let isByTurns: Bool

  /// Limit for the tiles of a chunk. The transformed tiles and the products then fit in L2, or exceed it only a little.
  private static let mostTiles = 72

  init(_ problem: KernelProblem, tile: Int) throws {
    conv = try problem.convolution()
    weights = try problem.weight("weight")
    keepsF16 = conv.keepsF16(weights)
    self.tile = tile
    try conv.requireWinograd(tile)
    let (total, isTooMany) = conv.tiles(tile).multipliedReportingOverflow(by: conv.geometry.batch)
    guard !isTooMany else { throw Refusal("more tiles than can be counted") }
    var window = conv.window
    let (least, threads, all) = (
      (total + Self.mostTiles - 1) / Self.mostTiles, conv.threads, ck_block_conv_units(&window)
    )
    // Threads with chunks of their own never wait for each other. They also use all threads where a chunk has too few
    // units for that.
    isByTurns =
      threads > 1 && (least >= threads || all < 2 * threads && total >= (all < threads ? 4 : 16) * threads)
    turns = Chunks(total, about: isByTurns ? (least + threads - 1) / threads * threads : least)
    units = Chunks(all, about: threads == 1 || isByTurns ? 1 : min(all, 4 * threads))
    try conv.requireWinograd(scratch: scratchFloats)
  }

  /// fp32 elements of the transformed tiles of a chunk (`tiles`), and of the scratch memory of a thread (`worker`).
  private var memory: (tiles: Int, worker: Int) {
    var window = conv.window
    return (
      ck_winograd_fused_filter_tiles_size(&window, tile, turns.size),
      ck_winograd_fused_filter_scratch_size(&window, tile, turns.size, units.size)
    )
  }

  private var scratchFloats: Int {
    let memory = memory
    return isByTurns ? conv.threads * (memory.tiles + memory.worker) : memory.tiles + conv.threads * memory.worker
  }

  var candidate: Candidate {
    get throws {
      let g = conv.geometry
      let numbers = Double((tile + 2) * (tile + 2))
      let (inputs, outputs) = (Double(g.inChannels), Double(Blocks.padded(g.outChannels)))
      let cost = WinogradCost.here
      let transforms = cost.transform(tile) * (Double(Blocks.count(g.inChannels)) + outputs / Double(Blocks.size))
      let products = inputs * outputs / Double(Blocks.size)
      let elements =
        Double(g.batch) * (inputs * Double(g.inputArea) + outputs * Double(g.outputArea)) + 9 * inputs * outputs
      let kernels = cost.kernel(tile) * numbers * inputs * outputs * Double(turns.count)
      let efficiency = 0.95 * products / (products + transforms)
      let (memory, add) = (memory, conv.epilogue.add)
      let candidate = Candidate(
        efficiency: efficiency, scratchBytes: scratchFloats * 4,
        inPlace: add.map { [$0] } ?? [], packed: [conv.weight],
        work: Work(
          flops: 2 * numbers * Double(turns.total) * inputs * outputs + efficiency * kernels, bytes: 4 * elements)
      ) { preparation in
        let packed = try PackedWeights.blocked(
          weights, conv.window, isDense: false, as: keepsF16 ? .f16 : .floats, preparation)
        return .cpu { run($0, packed, memory.tiles, memory.worker) }
      }
      return candidate.blocked([conv.x] + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ tilesSize: Int, _ workerSize: Int) {
    let memory = frame.scratch.assumingMemoryBound(to: Float.self)
    let blocks = Blocks.count(conv.geometry.inChannels)
    if isByTurns {
      frame.pool.run(turns.count, workers: conv.threads) { items, worker in
        let transformed = memory + worker * (tilesSize + workerSize)
        for item in items {
          transform(turns[item], 0..<blocks, frame, transformed)
          multiply(turns[item], 0..<units.total, frame, packed, transformed, transformed + tilesSize)
        }
      }
      return
    }
    for turn in 0..<turns.count {
      frame.pool.run(blocks, grain: conv.threads == 1 ? blocks : 1) { part in
        transform(turns[turn], part, frame, memory)
      }
      frame.pool.run(units.count, workers: conv.threads) { items, worker in
        for item in items {
          multiply(turns[turn], units[item], frame, packed, memory, memory + tilesSize + worker * workerSize)
        }
      }
    }
  }

  /// Transforms the input tiles of a chunk, for a range of input channel blocks.
  private func transform(
    _ range: Range<Int>, _ blocks: Range<Int>, _ frame: CPUFrame, _ transformed: UnsafeMutablePointer<Float>
  ) {
    var shape = conv.window
    ck_winograd_fused_filter_tiles_f32(
      &shape, tile, frame.input(conv.x), transformed, range.lowerBound, range.count, turns.size, blocks.lowerBound,
      blocks.upperBound)
  }

  /// Multiplies the transformed tiles of a chunk and transforms the results, for a range of units of output channels.
  private func multiply(
    _ range: Range<Int>, _ units: Range<Int>, _ frame: CPUFrame, _ packed: PackedWeights,
    _ transformed: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
  ) {
    var (shape, epilogue) = (conv.window, conv.epilogue.withoutResidual(frame))
    let add = conv.epilogue.add(frame)
    if keepsF16 {
      ck_winograd_fused_filter_f16w_f32(
        &shape, tile, transformed, packed.f16, &epilogue, add, frame.output(), scratch, range.lowerBound,
        range.count, turns.size, units.lowerBound, units.upperBound)
    } else {
      ck_winograd_fused_filter_f32(
        &shape, tile, transformed, packed.pointer, &epilogue, add, frame.output(), scratch, range.lowerBound,
        range.count, turns.size, units.lowerBound, units.upperBound)
    }
  }
}
