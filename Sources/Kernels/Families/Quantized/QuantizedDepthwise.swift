import CKernels
import MIL

/// Depthwise convolution of bytes by whole numbers, to bytes.
enum QuantizedDepthwise {
  static func offer(_ site: Site) throws -> Offer {
    let conv = try QuantizedSite(site)
    let g = conv.geometry
    guard g.groups == g.inChannels, g.outChannels == g.inChannels, g.groups > 1 else {
      throw Refusal("not one output channel for each input channel")
    }
    guard g.input[0] == 1, g.output[0] == 1, g.kernel[0] == 1 else { throw Refusal("three dimensions") }
    guard let result = conv.result else { throw Refusal("the result is not bytes") }
    try Blocks.requireUsual(g)
    var window = conv.window
    let scratch = ck_byte_depthwise_scratch_size(&window)
    guard scratch <= Blocks.mostScratch * 4 else { throw Refusal("a line of windows takes too much") }
    let pieces = conv.threads == 1 ? 1 : max(4 * conv.threads / g.batch, 1)
    let blocks = Pieces(ByteBlocks.count(g.inChannels), about: pieces)
    let rows = Pieces(g.output[1], about: pieces / blocks.count)
    let filled = Double(g.inChannels) / Double(ByteBlocks.padded(g.inChannels))
    let images = (ByteBlocks.padded(g.inChannels) * g.inputArea, ByteBlocks.padded(g.inChannels) * g.outputArea)
    return Offer(
      efficiency: 0.4 * filled, scratchBytes: conv.threads * scratch, packed: [conv.weight],
      work: Work(
        flops: 2 * Double(g.batch * g.outChannels * g.outputArea * g.kernelArea),
        bytes: Double(g.batch) * Double(images.0 + images.1))
    ) { preparation in
      let packed = try PackedWeights.byteDepthwise(conv.product.weights, conv.window, preparation)
      let sums = try conv.byteSums(result)
      return .cpu { frame in
        let (input, output) = (frame.input(conv.x, as: UInt8.self), frame.output(0, as: UInt8.self))
        frame.pool.run(g.batch * blocks.count * rows.count, workers: conv.threads) { items, worker in
          var window = conv.window
          let memory = frame.scratch.assumingMemoryBound(to: UInt8.self) + worker * scratch
          for item in items {
            let (lines, image) = (rows[item % rows.count], item / (rows.count * blocks.count))
            let range = blocks[item / rows.count % blocks.count]
            sums.with {
              ck_byte_depthwise(
                &window, input + image * images.0, conv.scale.nothing, packed.bytes, $0, result.steps.steps,
                output + image * images.1, memory, range.lowerBound, range.upperBound, lines.lowerBound,
                lines.upperBound)
            }
          }
        }
      }
    }.byteBlocked([conv.x])
  }
}
