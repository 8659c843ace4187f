import CKernels
import MIL

/// Winograd convolution of 3 x 3 filters in NCHWc. A tile of `tile` x `tile` output positions needs (tile + 2)^2
/// products for each pair of input and output channel. The direct method needs 9 tile^2.
///
/// The rounding error grows with the tile. Relative to the sum of the products' magnitudes, it is about:
/// - 1e-6 for tiles of 2
/// - 1e-5 for tiles of 4
/// - 2e-5 for tiles of 6
struct BlockedWinograd: Sendable {
  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let tile: Int
  private let tiles: Chunks

  init(_ problem: KernelProblem, tile: Int) throws {
    conv = try problem.convolution()
    weights = try problem.weight("weight")
    self.tile = tile
    let g = conv.geometry
    try conv.requireWinograd(tile)
    var window = conv.window
    try conv.requireWinograd(scratch: ck_winograd_scratch_size(&window, tile))
    let count = conv.tiles(tile)
    let pieces = conv.threads == 1 ? 1 : max(2 * conv.threads / g.batch, 1)
    tiles = Chunks(count, about: min(pieces, (count + 7) / 8))
  }

  var candidate: Candidate {
    get throws {
      let g = conv.geometry
      let numbers = Double((tile + 2) * (tile + 2))
      let (inputs, outputs) = (Double(g.inChannels), Double(Blocks.padded(g.outChannels)))
      let count = Double(g.batch * tiles.total)
      let cost = WinogradCost.here
      let transforms = cost.transform(tile) * (Double(Blocks.count(g.inChannels)) + outputs / Double(Blocks.size))
      let products = inputs * outputs / Double(Blocks.size)
      let elements =
        Double(g.batch) * (inputs * Double(g.inputArea) + outputs * Double(g.outputArea)) + numbers * inputs * outputs
      // A transformed filter has more elements than the original one. Each image reads them, and they do not fit in a
      // cache.
      let floats = (numbers - 9) * inputs * outputs
      let growth = cost.growth(floats, ofF16: conv.keepsF16(weights)) * floats * Double(g.batch)
      let efficiency = 0.95 * products / (products + transforms)
      var window = conv.window
      let scratch = ck_winograd_scratch_size(&window, tile)
      let add = conv.epilogue.add
      let candidate = Candidate(
        efficiency: efficiency, scratchBytes: scratch * 4 * conv.threads,
        inPlace: add.map { [$0] } ?? [], packed: [conv.weight],
        work: Work(flops: 2 * numbers * count * inputs * outputs + efficiency * growth, bytes: 4 * elements)
      ) { preparation in
        let packed = try PackedWeights.winograd(weights, conv.window, tile: tile, preparation)
        return .cpu { run($0, packed, scratch) }
      }
      return candidate.blocked([conv.x] + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ scratch: Int) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let inputImage = Blocks.padded(g.inChannels) * g.inputArea
    let outputImage = Blocks.padded(g.outChannels) * g.outputArea
    frame.pool.run(g.batch * tiles.count, workers: conv.threads) { items, worker in
      var (shape, epilogue) = (conv.window, conv.epilogue.withoutResidual(frame))
      let memory = frame.scratch.assumingMemoryBound(to: Float.self) + worker * scratch
      for item in items {
        let (range, image) = (tiles[item % tiles.count], item / tiles.count)
        ck_winograd_f32(
          &shape, tile, input + image * inputImage, packed.pointer, &epilogue, add.map { $0 + image * outputImage },
          output + image * outputImage, memory, range.lowerBound, range.upperBound)
      }
    }
  }
}

extension ConvolutionProblem {
  /// Refuses problems that Winograd does not fit, or that are too small to justify its rounding error.
  func requireWinograd(_ tile: Int) throws {
    let g = geometry
    guard g.kernel == [1, 3, 3], g.strides == [1, 1, 1], g.dilations == [1, 1, 1], g.groups == 1, g.input[0] == 1,
      g.output[0] == 1
    else {
      throw Refusal("not one group of 3 x 3 kernels without strides and dilations")
    }
    let products = Double(g.outputArea) * Double(g.inChannels * g.outChannels)
    guard g.inChannels * 2 >= Blocks.size, products >= (tile == 6 ? 1e6 : 2e5) else {
      throw Refusal("too few products to be worth the rounding")
    }
    try Blocks.requireUsual(g)
  }

  func requireWinograd(scratch: Int) throws {
    guard scratch <= 4 * Blocks.mostScratch else {
      throw Refusal("tiles of all channels take more than \(Blocks.mostScratch >> 16) megabytes")
    }
  }

  /// Tiles of an image.
  func tiles(_ tile: Int) -> Int {
    (geometry.output[1] + tile - 1) / tile * ((geometry.output[2] + tile - 1) / tile)
  }
}
