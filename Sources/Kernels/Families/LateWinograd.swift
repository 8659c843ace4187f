import CKernels
import MIL

/// Winograd's convolution whose kernels are transformed when they are multiplied: weights take no more memory than those of a direct
/// convolution, and share their packed form. Where tiles are few, reading transformed kernels from memory takes longer than transforming
/// them; tiles of all images are worked on together.
struct LateWinograd: Sendable {
  private let conv: ConvolutionSite
  private let weights: StoredWeight
  private let keepsHalves: Bool
  private let tile: Int
  /// Tiles of all images, by turns.
  private let turns: Pieces
  private let units: Pieces

  /// Tiles of a turn at most: what is between the transforms stays in the second-level cache, or little beyond.
  private static let mostTiles = 72

  init(_ site: Site, tile: Int) throws {
    conv = try ConvolutionSite(site)
    weights = try site.weight("weight")
    keepsHalves = conv.keepsHalves(weights)
    self.tile = tile
    try conv.requireWinograd(tile)
    let (total, isTooMany) = conv.tiles(tile).multipliedReportingOverflow(by: conv.geometry.batch)
    guard !isTooMany else { throw Refusal("more tiles than can be counted") }
    var window = conv.window
    turns = Pieces(total, about: (total + Self.mostTiles - 1) / Self.mostTiles)
    units = Pieces(ck_block_conv_units(&window), about: conv.threads == 1 ? 1 : 2 * conv.threads)
    try conv.requireWinograd(scratch: memory.tiles + conv.threads * memory.worker)
  }

  /// Floats of the transformed tiles of a turn, and of each thread's scratch memory.
  private var memory: (tiles: Int, worker: Int) {
    var window = conv.window
    return (
      ck_winograd_late_tiles_size(&window, tile, turns.size),
      ck_winograd_late_scratch_size(&window, tile, turns.size, units.size)
    )
  }

  var offer: Offer {
    get throws {
      let g = conv.geometry
      let numbers = Double((tile + 2) * (tile + 2))
      let (inputs, outputs) = (Double(g.inChannels), Double(Blocks.padded(g.outChannels)))
      // A vector of a transform costs about as much as so many products of vectors.
      let transforms = 13 * (Double(Blocks.count(g.inChannels)) + outputs / Double(Blocks.size))
      let products = inputs * outputs / Double(Blocks.size)
      let elements =
        Double(g.batch) * (inputs * Double(g.inputArea) + outputs * Double(g.outputArea)) + 9 * inputs * outputs
      // A number of a transformed kernel costs about as much as so many operations each time: it goes through the second-level cache.
      let kernels = 22 * numbers * inputs * outputs * Double(turns.count)
      let efficiency = 0.95 * products / (products + transforms)
      let (memory, add) = (memory, conv.epilogue.add)
      let offer = Offer(
        efficiency: efficiency, scratchBytes: (memory.tiles + conv.threads * memory.worker) * 4,
        inPlace: add.map { [$0] } ?? [], packed: [conv.weight],
        work: Work(
          flops: 2 * numbers * Double(turns.total) * inputs * outputs + efficiency * kernels, bytes: 4 * elements)
      ) { preparation in
        let packed = try PackedWeights.blocked(
          weights, conv.window, isDense: false, as: keepsHalves ? .halves : .floats, preparation)
        return .cpu { run($0, packed, memory.tiles, memory.worker) }
      }
      return offer.blocked([conv.x] + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ tilesSize: Int, _ workerSize: Int) {
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let transformed = frame.scratch.assumingMemoryBound(to: Float.self)
    let blocks = Blocks.count(conv.geometry.inChannels)
    for turn in 0..<turns.count {
      let range = turns[turn]
      frame.pool.run(blocks, grain: conv.threads == 1 ? blocks : 1) { part in
        var shape = conv.window
        ck_winograd_late_tiles_f32(
          &shape, tile, input, transformed, range.lowerBound, range.count, turns.size, part.lowerBound, part.upperBound)
      }
      frame.pool.run(units.count, workers: conv.threads) { items, worker in
        var (shape, epilogue) = (conv.window, conv.epilogue.withoutSum(frame))
        let scratch = transformed + tilesSize + worker * workerSize
        for item in items {
          let own = units[item]
          if keepsHalves {
            ck_winograd_late_f16w_f32(
              &shape, tile, transformed, packed.halves, &epilogue, add, output, scratch, range.lowerBound, range.count,
              turns.size, own.lowerBound, own.upperBound)
          } else {
            ck_winograd_late_f32(
              &shape, tile, transformed, packed.pointer, &epilogue, add, output, scratch, range.lowerBound,
              range.count, turns.size, own.lowerBound, own.upperBound)
          }
        }
      }
    }
  }
}
