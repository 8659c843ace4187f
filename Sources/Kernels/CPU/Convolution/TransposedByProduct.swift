import CKernels
import MIL

/// A transposed convolution as matrix products. The product of transposed weights and input has one element for each
/// output channel, tap and input position: the contribution of this input position through this tap. The kernel then
/// adds these elements to their output positions (col2im). Threads share output channels.
struct TransposedByProduct: Sendable {
  private let conv: ConvolutionProblem
  private let channels: Chunks
  private let columnFloats: Int

  init(_ conv: ConvolutionProblem) throws {
    self.conv = conv
    let g = conv.geometry
    let (channelFloats, overflow) = g.kernelArea.multipliedReportingOverflow(by: g.inputArea)
    guard !overflow, channelFloats <= 1 << 28, conv.groupOut <= BLAS.limit / g.kernelArea else {
      throw Refusal("the columns of one channel take more than a gigabyte")
    }
    try Refusal.unlessProduct(conv.groupIn, conv.groupOut * g.kernelArea, g.inputArea)
    let fitting = max((1 << 20) / channelFloats, 1)
    let share = conv.threads == 1 ? conv.groupOut : (conv.groupOut + 2 * conv.threads - 1) / (2 * conv.threads)
    channels = Chunks(conv.groupOut, of: min(max(fitting, 4), max(share, 1)))
    let (floats, over) = channels.size.multipliedReportingOverflow(by: channelFloats)
    guard !over, floats <= 1 << 28 else { throw Refusal("the columns of a few channels take more than a gigabyte") }
    columnFloats = (floats + 15) / 16 * 16
  }

  var candidate: Candidate {
    let g = conv.geometry
    let (groupIn, groupOut, taps) = (conv.groupIn, conv.groupOut, g.kernelArea)
    let efficiency = BLAS.efficiency(m: channels.size * taps, n: g.inputArea, k: groupIn)
    return .cpu(
      efficiency: 0.8 * efficiency * Double(groupIn) / Double(groupIn + 16),
      scratchBytes: columnFloats * 4 * conv.threads
    ) { frame in
      let input: UnsafePointer<Float> = frame.input(conv.x)
      let weights: UnsafePointer<Float> = frame.input(conv.weight)
      let output: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(g.batch * g.groups * channels.count, workers: conv.threads) { items, worker in
        let columns = frame.scratch.assumingMemoryBound(to: Float.self) + worker * columnFloats
        var shape = conv.window
        for item in items {
          let range = channels[item % channels.count]
          let product = item / channels.count
          let (image, group) = (product / g.groups, product % g.groups)
          let first = group * groupOut + range.lowerBound
          BLAS.multiply(
            weights + group * groupIn * groupOut * taps + range.lowerBound * taps, lda: groupOut * taps,
            transA: true, input + image * conv.inputImage + group * groupIn * g.inputArea, ldb: g.inputArea,
            columns, ldc: g.inputArea, m: range.count * taps, n: g.inputArea, k: groupIn)
          ck_col2im_f32(&shape, columns, output + image * conv.outputImage, first, first + range.count)
          conv.epilogue.applyChannels(
            frame, channel: first, output + image * conv.outputImage + first * g.outputArea, channels: range.count,
            columns: g.outputArea, stride: g.outputArea)
        }
      }
    }
  }
}
