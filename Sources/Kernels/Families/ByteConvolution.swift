import CKernels
import MIL

/// Convolution over channels in blocks of steps by whole numbers: fours of bytes, whose sums are scaled as they are stored. The input of an image
/// becomes bytes before it is read, with what it is padded with around it.
struct ByteConvolution: Sendable {
  private let conv: ConvolutionSite
  private let whole: WholeProduct
  private let units: Pieces
  private let rows: Pieces

  init(_ site: Site) throws {
    conv = try ConvolutionSite(site)
    let g = conv.geometry
    try Blocks.requireCountable(g)
    var window = conv.window
    guard g.groups == 1, ck_block_conv_supports(&window, false) else {
      throw Refusal("not one group in two dimensions")
    }
    whole = try WholeProduct(site, outputs: g.outChannels, depth: g.inChannels * g.kernelArea)
    guard g.inChannels * 2 >= Blocks.size else { throw Refusal("the input's channels do not fill half a block") }
    // Far paddings make an image of little else.
    // Far from what memory holds, so that sizes are numbers.
    let reaches = (1...2).map { g.output[$0].multipliedReportingOverflow(by: g.strides[$0]) }
    guard reaches.allSatisfy({ !$0.overflow && $0.partialValue <= 1 << 20 }), g.inputArea <= 1 << 32,
      Blocks.padded(g.inChannels) <= 1 << 16
    else { throw Refusal("the image is too large") }
    guard ck_block_conv_i8_image_size(&window) <= 2 * Blocks.padded(g.inChannels) * g.inputArea + Blocks.mostScratch
    else {
      throw Refusal("the image with its padding takes too much")
    }
    let pieces = conv.threads == 1 ? 1 : 4 * conv.threads
    rows = Pieces(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    units = Pieces(ck_block_conv_units(&window), about: pieces / rows.count)
  }

  var offer: Offer {
    get throws {
      let g = conv.geometry
      var window = conv.window
      let image = ck_block_conv_i8_image_size(&window)
      let depth = Double(PackedNumbers.fours.count(g.inChannels) * g.kernelArea)
      let isFlat = g.kernelArea == 1
      let sums = Double(min(isFlat ? g.outputArea : g.output[2], 14) * (Blocks.count(g.outChannels) > 1 ? 2 : 1))
      let add = conv.epilogue.add
      let elements =
        Double(g.batch) * Double(conv.inputImage + 2 * image + conv.outputImage) + Double(g.outChannels) * depth
      let offer = Offer(
        efficiency: 0.9 * depth / (depth + 3) * min(1, sums / (sums + 1.5)), scratchBytes: image * 4,
        inPlace: add.map { [$0] } ?? [], packed: [conv.weight],
        work: Work(
          flops: 2 * depth * Double(g.batch * Blocks.padded(g.outChannels) * g.outputArea), bytes: 4 * elements)
      ) { preparation in
        let packed = try PackedWeights.blocked(whole.weights, conv.window, isDense: false, as: .fours, preparation)
        let sums = try whole.sums()
        return .cpu { run($0, packed, sums) }
      }
      return offer.blocked([conv.x] + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ sums: WholeProduct.Sums) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let bytes = frame.scratch.assumingMemoryBound(to: Float.self)
    let (inputImage, outputImage) = (
      Blocks.padded(g.inChannels) * g.inputArea, Blocks.padded(g.outChannels) * g.outputArea
    )
    var window = conv.window
    let lines = Pieces(ck_block_conv_i8_rows(&window), about: conv.threads == 1 ? 1 : 4 * conv.threads)
    for image in 0..<g.batch {
      let source = input + image * inputImage
      frame.pool.run(lines.count) { parts in
        var shape = conv.window
        for part in parts {
          let range = lines[part]
          ck_block_conv_i8_image(&shape, source, whole.inverse, whole.low, bytes, range.lowerBound, range.upperBound)
        }
      }
      let (sum, target) = (add.map { $0 + image * outputImage }, output + image * outputImage)
      frame.pool.run(units.count * rows.count, workers: conv.threads) { items, _ in
        var (shape, epilogue) = (conv.window, conv.epilogue.withoutSum(frame))
        sums.with {
          for item in items {
            let (lines, range) = (rows[item % rows.count], units[item / rows.count])
            ck_block_conv_i8_f32(
              &shape, bytes, packed.pointer, $0, &epilogue, sum, target, range.lowerBound, range.upperBound,
              lines.lowerBound, lines.upperBound)
          }
        }
      }
    }
  }
}
