import CKernels
import MIL

/// Depthwise convolution of int8 or uint8 inputs by int8 weights, with byte results.
enum QuantizedDepthwise {
  static func candidate(_ problem: KernelProblem) throws -> Candidate {
    let conv = try QuantizedProblem(problem)
    let g = conv.geometry
    guard g.groups == g.inChannels, g.outChannels == g.inChannels, g.groups > 1 else {
      throw Refusal("not one output channel for each input channel")
    }
    guard let result = conv.result else { throw Refusal("the result is not int8 or uint8") }
    let window = try BlockedWindow(g, threads: conv.threads, size: Int8Blocks.size)
    var shape = conv.window
    let scratch = ck_int8_depthwise_scratch_size(&shape)
    guard scratch <= Blocks.mostScratch * 4 else { throw Refusal("a line of windows takes too much") }
    let filled = Double(g.inChannels) / Double(Int8Blocks.padded(g.inChannels))
    let images = window.images
    return Candidate(
      efficiency: 0.4 * filled, scratchBytes: conv.threads * scratch, packed: [conv.weight],
      work: Work(
        flops: 2 * Double(g.batch * g.outChannels * g.outputArea * g.kernelArea),
        bytes: Double(g.batch) * Double(images.input + images.output))
    ) { preparation in
      let packed = try PackedWeights.byteDepthwise(conv.product.weights, conv.window, preparation)
      let sums = try conv.byteSums(result)
      return .cpu { frame in
        let (input, output) = (frame.input(conv.x, as: UInt8.self), frame.output(0, as: UInt8.self))
        window.run(frame) { blocks, rows, from, to, worker in
          var shape = conv.window
          let memory = frame.scratch.assumingMemoryBound(to: UInt8.self) + worker * scratch
          sums.with {
            ck_int8_depthwise(
              &shape, input + from, conv.scale.nothing, packed.bytes, $0, result.steps.steps, output + to, memory,
              blocks.lowerBound, blocks.upperBound, rows.lowerBound, rows.upperBound)
          }
        }
      }
    }.byteBlocked([conv.x])
  }
}
