import CKernels
import MIL

/// Winograd's convolution whose kernels are transformed when they are multiplied: weights take no more memory than those of a direct
/// convolution, and share their packed form. Where tiles are few, reading transformed kernels from memory takes longer than transforming
/// them; tiles of all images are worked on together.
struct FusedFilterWinograd: Sendable {
  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let keepsF16: Bool
  private let tile: Int
  /// Tiles of all images, by turns.
  private let turns: Chunks
  private let units: Chunks
  /// Each thread has turns of its own; otherwise all threads share the blocks and the units of each turn.
  private let isByTurns: Bool

  /// Tiles of a turn at most: what is between the transforms stays in the second-level cache, or little beyond.
  private static let mostTiles = 72

  init(_ problem: KernelProblem, tile: Int) throws {
    conv = try ConvolutionProblem(problem)
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
    // Threads that share nothing wait for nobody, and do so as well where there are not units for all of them.
    isByTurns =
      threads > 1 && (least >= threads || all < 2 * threads && total >= (all < threads ? 4 : 16) * threads)
    turns = Chunks(total, about: isByTurns ? (least + threads - 1) / threads * threads : least)
    units = Chunks(all, about: threads == 1 || isByTurns ? 1 : min(all, 4 * threads))
    try conv.requireWinograd(scratch: scratchFloats)
  }

  /// Floats of the transformed tiles of a turn, and of each thread's scratch memory.
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

  /// The tiles of a turn, of some blocks of input channels.
  private func transform(
    _ range: Range<Int>, _ blocks: Range<Int>, _ frame: CPUFrame, _ transformed: UnsafeMutablePointer<Float>
  ) {
    var shape = conv.window
    ck_winograd_fused_filter_tiles_f32(
      &shape, tile, frame.input(conv.x), transformed, range.lowerBound, range.count, turns.size, blocks.lowerBound,
      blocks.upperBound)
  }

  /// The results of a turn, of some units of output channels.
  private func multiply(
    _ range: Range<Int>, _ units: Range<Int>, _ frame: CPUFrame, _ packed: PackedWeights,
    _ transformed: UnsafeMutablePointer<Float>, _ scratch: UnsafeMutablePointer<Float>
  ) {
    var (shape, epilogue) = (conv.window, conv.epilogue.withoutSum(frame))
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
