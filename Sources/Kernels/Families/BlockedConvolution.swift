import CKernels
import MIL

/// Convolution over channels in blocks, window by window: sums of two blocks of output channels at up to fourteen positions stay in registers.
struct BlockedConvolution: Sendable {
  /// How the input lies.
  enum Source { case blocked, dense }

  private let conv: ConvolutionSite
  private let weights: StoredWeight
  private let isDense: Bool
  private let units: Pieces
  private let rows: Pieces

  init(_ site: Site, from source: Source) throws {
    conv = try ConvolutionSite(site)
    weights = try site.weight("weight")
    isDense = source == .dense
    try Blocks.requireUsual(conv.geometry)
    var window = conv.window
    guard ck_block_conv_supports(&window, isDense) else {
      throw Refusal("neither one group, nor groups of whole blocks, nor blocks of whole groups, in two dimensions")
    }
    let g = conv.geometry
    if isDense, g.inChannels >= Blocks.size { throw Refusal("the input has whole blocks of channels") }
    if !isDense, g.groups == 1, g.inChannels * 2 < Blocks.size {
      throw Refusal("the input's channels do not fill half a block")
    }
    let pieces = conv.threads == 1 ? 1 : max(4 * conv.threads / g.batch, 1)
    rows = Pieces(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    units = Pieces(ck_block_conv_units(&window), about: pieces / rows.count)
  }

  /// The share of the products that are asked for, and of the registers that are in use.
  private var efficiency: Double {
    let g = conv.geometry
    let isNarrow = g.groups > 1 && conv.groupIn < Blocks.size
    let filled =
      isNarrow
      ? Double(conv.groupIn) / Double(Blocks.size) : Double(g.outChannels) / Double(Blocks.padded(g.outChannels))
    let depth = Double(conv.groupIn * g.kernelArea)
    let isFlat = g.kernelArea == 1 && g.strides == [1, 1, 1]
    let positions = isFlat ? g.outputArea : g.output[2]
    let sums = Double(min(positions, 14) * (isNarrow || Blocks.count(conv.groupOut) == 1 ? 1 : 2))
    return 0.95 * filled * depth / (depth + 3) * min(1, sums / (sums + 1.5)) * (isDense ? 0.8 : 1)
  }

  var offer: Offer {
    get throws {
      var window = conv.window
      let scratch = ck_block_conv_scratch_size(&window, isDense)
      let add = conv.epilogue.add
      let offer = Offer(
        efficiency: efficiency, scratchBytes: scratch * 4 * conv.threads, inPlace: add.map { [$0] } ?? [],
        packed: [conv.weight]
      ) { preparation in
        let packed = try PackedWeights.blocked(weights, conv.window, isDense: isDense, preparation)
        return .cpu { run($0, packed, scratch) }
      }
      return offer.blocked((isDense ? [] : [conv.x]) + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ scratch: Int) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let inputImage = (isDense ? g.inChannels : Blocks.padded(g.inChannels)) * g.inputArea
    let outputImage = Blocks.padded(g.outChannels) * g.outputArea
    frame.pool.run(g.batch * units.count * rows.count, workers: conv.threads) { items, worker in
      var (shape, epilogue) = (conv.window, conv.epilogue.withoutSum(frame))
      let memory = frame.scratch.assumingMemoryBound(to: Float.self) + worker * scratch
      for item in items {
        let (lines, image) = (rows[item % rows.count], item / (rows.count * units.count))
        let range = units[item / rows.count % units.count]
        ck_block_conv_f32(
          &shape, isDense, input + image * inputImage, packed.pointer, &epilogue, add.map { $0 + image * outputImage },
          output + image * outputImage, memory, range.lowerBound, range.upperBound, lines.lowerBound, lines.upperBound)
      }
    }
  }
}
