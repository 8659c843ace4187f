import CKernels
import MIL

/// Convolution over channels in blocks in low precision: input and weights as pairs of brain floating point, sums as floats. The input of an
/// image becomes pairs before it is read.
struct PairedConvolution: Sendable {
  private let conv: ConvolutionSite
  private let weights: StoredWeight
  private let units: Pieces
  private let rows: Pieces

  init(_ site: Site) throws {
    conv = try ConvolutionSite(site)
    weights = try site.weight("weight")
    let g = conv.geometry
    try PackedNumbers.requirePairs(site, depth: g.inChannels)
    try Blocks.requireCountable(g)
    var window = conv.window
    guard g.groups == 1, ck_block_conv_supports(&window, false) else {
      throw Refusal("not one group in two dimensions")
    }
    guard ck_block_conv_bf16_scratch_size(&window) <= Blocks.mostScratch else {
      throw Refusal("a line of windows takes more than \(Blocks.mostScratch >> 18) megabytes")
    }
    let pieces = conv.threads == 1 ? 1 : 4 * conv.threads
    rows = Pieces(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    units = Pieces(ck_block_conv_units(&window), about: pieces / rows.count)
  }

  /// Blocks of pairs of channels.
  private var blocks: Int { Blocks.count((conv.geometry.inChannels + 1) / 2) }

  var offer: Offer {
    get throws {
      let g = conv.geometry
      var window = conv.window
      let (image, scratch) = (blocks * Blocks.size * g.inputArea, ck_block_conv_bf16_scratch_size(&window))
      let depth = Double((g.inChannels + 1) / 2 * g.kernelArea)
      let isFlat = g.kernelArea == 1 && g.strides == [1, 1, 1]
      let sums = Double(min(isFlat ? g.outputArea : g.output[2], 14) * (Blocks.count(g.outChannels) > 1 ? 2 : 1))
      let add = conv.epilogue.add
      let elements =
        Double(g.batch) * Double(2 * conv.inputImage + conv.outputImage) + Double(g.outChannels) * depth
      let offer = Offer(
        efficiency: 0.95 * depth / (depth + 3) * min(1, sums / (sums + 1.5)),
        scratchBytes: (image + conv.threads * scratch) * 4, inPlace: add.map { [$0] } ?? [], packed: [conv.weight],
        work: Work(
          flops: 2 * depth * Double(g.batch * Blocks.padded(g.outChannels) * g.outputArea), bytes: 4 * elements)
      ) { preparation in
        let packed = try PackedWeights.blocked(weights, conv.window, isDense: false, as: .pairs, preparation)
        return .cpu { run($0, packed, image, scratch) }
      }
      return offer.blocked([conv.x] + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ size: Int, _ scratch: Int) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let pairs = frame.scratch.assumingMemoryBound(to: Float.self)
    let (inputImage, outputImage) = (
      Blocks.padded(g.inChannels) * g.inputArea, Blocks.padded(g.outChannels) * g.outputArea
    )
    for image in 0..<g.batch {
      let source = input + image * inputImage
      frame.pool.run(blocks, grain: conv.threads == 1 ? blocks : 1) { part in
        ck_block_pairs_bf16(source, g.inChannels, g.inputArea, pairs, part.lowerBound, part.upperBound)
      }
      let (sum, target) = (add.map { $0 + image * outputImage }, output + image * outputImage)
      frame.pool.run(units.count * rows.count, workers: conv.threads) { items, worker in
        var (shape, epilogue) = (conv.window, conv.epilogue.withoutSum(frame))
        let memory = pairs + size + worker * scratch
        for item in items {
          let (lines, range) = (rows[item % rows.count], units[item / rows.count])
          ck_block_conv_bf16_f32(
            &shape, pairs, packed.pointer, &epilogue, sum, target, memory, range.lowerBound, range.upperBound,
            lines.lowerBound, lines.upperBound)
        }
      }
    }
  }
}
