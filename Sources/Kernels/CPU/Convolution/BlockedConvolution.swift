import CKernels
import MIL

/// Direct NCHWc convolution. The register tile has the accumulators of two blocks of output channels at up to 14
/// positions.
struct BlockedConvolution: Sendable {
  /// The layout of the input.
  enum Source { case blocked, dense }

  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let isDense: Bool
  private let keepsF16: Bool
  private let units: Chunks
  private let rows: Chunks

  init(_ problem: KernelProblem, from source: Source) throws {
    conv = try ConvolutionProblem(problem)
    weights = try problem.weight("weight")
    isDense = source == .dense
    keepsF16 = !isDense && conv.keepsF16(weights)
    try Blocks.requireCountable(conv.geometry)
    var window = conv.window
    guard ck_block_conv_supports(&window, isDense) else {
      throw Refusal(isDense ? "not one group in two dimensions" : "not two dimensions")
    }
    guard ck_block_conv_scratch_size(&window, isDense) <= Blocks.mostScratch else {
      throw Refusal("a line of windows takes more than \(Blocks.mostScratch >> 18) megabytes")
    }
    let g = conv.geometry
    if conv.groupIn == 1, conv.groupOut == 1, g.groups > 1 { throw Refusal("each channel is a group") }
    if isDense, g.inChannels >= Blocks.size { throw Refusal("the input's channels fill a whole block") }
    if !isDense, g.groups == 1, g.inChannels * 2 < Blocks.size {
      throw Refusal("the input's channels do not fill half a block")
    }
    let pieces = conv.threads == 1 ? 1 : max(4 * conv.threads / g.batch, 1)
    rows = Chunks(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    units = Chunks(ck_block_conv_units(&window), about: pieces / rows.count)
  }

  /// The share of useful products, times the share of registers in use.
  private var efficiency: Double {
    let g = conv.geometry
    var window = conv.window
    let depth = Double(conv.groupIn * g.kernelArea)
    // The kernel also multiplies zero weights: padding channels, and channels of other groups.
    let filled = Double(g.outChannels) * depth / Double(ck_block_conv_packed_size(&window))
    let isWhole = g.groups == 1 || conv.groupIn % Blocks.size == 0 && conv.groupOut % Blocks.size == 0
    let isFlat = g.kernelArea == 1 && g.strides == [1, 1, 1]
    let positions = isFlat ? g.outputArea : g.output[2]
    let sums = Double(min(positions, 14) * (isWhole && Blocks.count(conv.groupOut) > 1 ? 2 : 1))
    // Lines of groups that are narrower than a block are rearranged before they are multiplied.
    let turned = !isWhole && conv.groupIn == conv.groupOut && Blocks.size % conv.groupIn == 0 ? 0.75 : 1
    return 0.95 * turned * filled * depth / (depth + 3) * min(1, sums / (sums + 1.5)) * (isDense ? 0.8 : 1)
  }

  /// With large dilations the kernel multiplies only the taps inside of the input.
  private var work: Work? {
    let g = conv.geometry
    guard !isDense, g.dilations[1] >= 4 || g.dilations[2] >= 4, max(g.output[1], g.output[2]) <= 1 << 16 else {
      return nil
    }
    let share = (1...2).reduce(1) { $0 * g.shareInside(axis: $1) }
    let products = Double(g.batch) * Double(conv.groupIn * g.kernelArea) * Double(conv.outputImage)
    let elements =
      Double(g.batch) * Double(conv.inputImage + conv.outputImage) + products / Double(g.batch * g.outputArea)
    return Work(flops: 2 * share * products, bytes: 4 * elements)
  }

  var candidate: Candidate {
    get throws {
      var window = conv.window
      let read = ck_block_conv_scratch_size(&window, isDense)
      let room = keepsF16 ? ck_block_conv_widened_size(&window) : 0
      // Filters with thousands of taps are widened in registers instead.
      let widened = room <= Blocks.mostScratch ? room : 0
      let add = conv.epilogue.add
      let candidate = Candidate(
        efficiency: efficiency, scratchBytes: (read + widened) * 4 * conv.threads, inPlace: add.map { [$0] } ?? [],
        packed: [conv.weight], work: work
      ) { preparation in
        let packed = try PackedWeights.blocked(
          weights, conv.window, isDense: isDense, as: keepsF16 ? .f16 : .floats, preparation)
        return .cpu { run($0, packed, read, widened) }
      }
      return candidate.blocked((isDense ? [] : [conv.x]) + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ read: Int, _ widened: Int) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let inputImage = (isDense ? g.inChannels : Blocks.padded(g.inChannels)) * g.inputArea
    let outputImage = Blocks.padded(g.outChannels) * g.outputArea
    frame.pool.run(g.batch * units.count * rows.count, workers: conv.threads) { items, worker in
      var (shape, epilogue) = (conv.window, conv.epilogue.withoutResidual(frame))
      let memory = frame.scratch.assumingMemoryBound(to: Float.self) + worker * (read + widened)
      for item in items {
        let (lines, image) = (rows[item % rows.count], item / (rows.count * units.count))
        let range = units[item / rows.count % units.count]
        let (source, sum, target) = (
          input + image * inputImage, add.map { $0 + image * outputImage }, output + image * outputImage
        )
        if keepsF16 {
          ck_block_conv_f16w_f32(
            &shape, source, packed.f16, widened == 0 ? nil : memory + read, &epilogue, sum, target, memory,
            range.lowerBound, range.upperBound,
            lines.lowerBound, lines.upperBound)
        } else {
          ck_block_conv_f32(
            &shape, isDense, source, packed.pointer, &epilogue, sum, target, memory, range.lowerBound,
            range.upperBound, lines.lowerBound, lines.upperBound)
        }
      }
    }
  }
}

extension WindowGeometry {
  /// The share of all windows' taps along an axis that are inside of the input.
  fileprivate func shareInside(axis: Int) -> Double {
    let taps = (0..<output[axis]).reduce(0) { sum, o in
      let (start, step) = (o * strides[axis] - padBefore[axis], dilations[axis])
      let first = start >= 0 ? 0 : (step - 1 - start) / step
      let end = start >= input[axis] ? 0 : (input[axis] - 1 - start) / step + 1
      return sum + max(min(end, kernel[axis]) - first, 0)
    }
    return Double(taps) / Double(output[axis] * kernel[axis])
  }
}
