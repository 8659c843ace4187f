import CKernels
import MIL

/// Direct NCHWc convolution. Its input is NCHWc, or dense if it has fewer channels than a block.
///
/// A register tile holds the accumulators of two blocks of output channels at up to `CK_STRIP` positions: 14 for
/// AVX-512, 8 for NEON, 6 for AVX2. For a single block it holds up to `CK_LONE` positions: 12 for AVX2, otherwise
/// `CK_STRIP`.
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
    conv = try problem.convolution()
    weights = try problem.weight("weight")
    isDense = source == .dense
    keepsF16 = !isDense && conv.keepsF16(weights)
    // Refuses windows and paddings whose offsets do not fit in 32 bits, and input bands whose size overflows `Int`.
    try Blocks.requireCountable(conv.geometry)
    var window = conv.window
    guard ck_block_conv_supports(&window, isDense) else {
      throw Refusal(isDense ? "not one group in two dimensions" : "not two dimensions")
    }
    // Where the kernel copies input rows with zero padding, a thread holds the rows of one band of output rows. This
    // copy is limited to `mostScratch` elements.
    guard ck_block_conv_scratch_size(&window, isDense) <= Blocks.mostScratch else {
      throw Refusal("a line of windows takes more than \(Blocks.mostScratch >> 18) megabytes")
    }
    let g = conv.geometry
    // A depthwise convolution, for which `BlockedWindow` is the kernel.
    if conv.groupIn == 1, conv.groupOut == 1, g.groups > 1 { throw Refusal("each channel is a group") }
    if isDense, g.inChannels >= Blocks.size { throw Refusal("the input's channels fill a whole block") }
    if !isDense, g.groups == 1, g.inChannels * 2 < Blocks.size {
      throw Refusal("the input's channels do not fill half a block")
    }
    // Work items are ranges of rows times ranges of units. The goal is four items per thread over all images, so that
    // threads finish at about the same time. Rows are split first, into ranges of about four rows or more, because each
    // range of units reads all input of its rows.
    let pieces = conv.threads == 1 ? 1 : max(4 * conv.threads / g.batch, 1)
    rows = Chunks(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    units = Chunks(ck_block_conv_units(&window), about: pieces / rows.count)
  }

  /// The estimated fraction of the device profile's peak arithmetic. It is a product of these factors:
  /// - `filled`: the share of products that are not with padding or with other groups' zero weights
  /// - K / (K + 3): the cost of starting and storing the accumulators
  /// - accumulators / (accumulators + 1.5): small register tiles do not hide the latency of FMA. The estimate counts up
  ///   to 14 positions on every instruction set.
  /// - constants for dense input and for narrow groups
  private var efficiency: Double {
    let g = conv.geometry
    var window = conv.window
    let depth = Double(conv.groupIn * g.kernelArea)
    // The packed weights include zeros for padding channels and for channels of other groups. The kernel multiplies by
    // them, too.
    let filled = Double(g.outChannels) * depth / Double(ck_block_conv_packed_size(&window))
    let isWhole = g.groups == 1 || conv.groupIn % Blocks.size == 0 && conv.groupOut % Blocks.size == 0
    let isFlat = g.kernelArea == 1 && g.strides == [1, 1, 1]
    let positions = isFlat ? g.outputArea : g.output[2]
    let sums = Double(min(positions, 14) * (isWhole && Blocks.count(conv.groupOut) > 1 ? 2 : 1))
    // If several groups share a block (`UNITS_NARROW`), the kernel copies each input line with transposed channels
    // first.
    let turned = !isWhole && conv.groupIn == conv.groupOut && Blocks.size % conv.groupIn == 0 ? 0.75 : 1
    return 0.95 * turned * filled * depth / (depth + 3) * min(1, sums / (sums + 1.5)) * (isDense ? 0.8 : 1)
  }

  /// The work of a convolution with a large dilation, for which the kernel skips taps in the padding. Nil for other
  /// convolutions, whose work is that of the operation.
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
      // fp16 weights of a unit and K block are converted to fp32 in scratch memory if several register tiles share
      // them. If the filter is too large for that, each register tile converts them in registers.
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
  /// The share of taps that are inside the input, along one axis and over all output positions.
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
