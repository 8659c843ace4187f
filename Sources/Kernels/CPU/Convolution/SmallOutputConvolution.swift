import CKernels
import MIL

/// Convolution with NCHWc input and so few output channels that they would leave most of a block empty. An example is
/// the last layer of a network that outputs images, masks or depth maps. Vector lanes are input channels, and the
/// output is dense.
struct SmallOutputConvolution: Sendable {
  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let rows: Chunks

  init(_ problem: KernelProblem) throws {
    conv = try problem.convolution()
    weights = try problem.weight("weight")
    let g = conv.geometry
    try Blocks.requireCountable(g)
    guard g.input[0] == 1, g.output[0] == 1, g.kernel[0] == 1, g.groups == 1 else {
      throw Refusal("not one group in two dimensions")
    }
    guard g.outChannels <= ck_block_small_output_most() else {
      throw Refusal("\(g.outChannels) outputs, the kernel has accumulators for \(ck_block_small_output_most())")
    }
    guard g.inChannels * 2 >= Blocks.size else { throw Refusal("the input's channels do not fill half a block") }
    rows = Chunks(g.output[1], about: conv.threads == 1 ? 1 : max(4 * conv.threads / g.batch, 1))
  }

  /// The estimated fraction of the device profile's peak arithmetic: the share of lanes in use, less for few output
  /// channels. The final sum over the lanes counts as eight more steps along K.
  private var efficiency: Double {
    let g = conv.geometry
    let blocks = Blocks.count(g.inChannels)
    let depth = Double(blocks * g.kernelArea)
    let filled = Double(g.inChannels) / Double(blocks * Blocks.size)
    let reach = g.padBefore[2] + g.padAfter[2]
    // The kernel computes positions whose windows reach into the padding one by one, and all positions of a row that is
    // shorter than a vector.
    let isShort = g.output[2] - reach < Blocks.size
    let share = g.outChannels == 1 ? 0.6 : g.outChannels == 2 ? 0.65 : 0.75
    return share * filled * depth / (depth + 8)
      * (isShort ? 0.2 : Double(g.output[2]) / Double(g.output[2] + 4 * reach))
  }

  var candidate: Candidate {
    // The kernel writes an output position before it reads the residual input there, so the two must not share memory.
    var candidate = Candidate(efficiency: efficiency, packed: [conv.weight]) { preparation in
      let packed = try PackedWeights.few(weights, conv.window, preparation)
      return .cpu { run($0, packed) }
    }
    candidate.takes[conv.x] = Blocks.layout
    return candidate
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let image = Blocks.padded(g.inChannels) * g.inputArea
    frame.pool.run(g.batch * rows.count) { items in
      var (shape, epilogue) = (conv.window, conv.epilogue.whole(frame))
      for item in items {
        let (number, lines) = (item / rows.count, rows[item % rows.count])
        let target = number * conv.outputImage
        ck_block_small_output_f32(
          &shape, input + number * image, packed.pointer, &epilogue, output + target, lines.lowerBound, lines.upperBound
        )
        for channel in 0..<g.outChannels {
          conv.epilogue.finish(
            frame, target + channel * g.outputArea + lines.lowerBound * g.output[2], lines.count * g.output[2])
        }
      }
    }
  }
}
