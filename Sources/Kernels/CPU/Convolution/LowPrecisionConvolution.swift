import CKernels
import MIL

/// NCHWc convolution of elements narrower than fp32. Several elements along K share one 32-bit lane: bf16 pairs where
/// low precision is allowed, or four int8 values where the input is quantized and the weights are int8. The input of
/// each image is converted to this form first.
struct LowPrecisionConvolution: Sendable {
  private let conv: ConvolutionProblem
  private let numbers: PackedType
  private let weights: StoredWeight
  /// The quantization of both operands; nil for the bf16 kernel.
  private let whole: Int8Gemm?
  private let units: Chunks
  private let rows: Chunks
  /// The size of a converted image, and of the scratch memory of a thread, in 32-bit lanes.
  private let image: Int
  private let scratch: Int

  /// The bf16 kernel.
  init(inLowPrecision problem: KernelProblem) throws {
    let conv = try problem.convolution()
    try PackedType.requireBF16Dot(problem, depth: conv.geometry.inChannels)
    try self.init(conv, .bf16, problem.weight("weight"), nil)
  }

  /// The int8 kernel.
  init(_ problem: KernelProblem) throws {
    let conv = try problem.convolution()
    let g = conv.geometry
    let whole = try Int8Gemm(problem, outputs: g.outChannels, depth: g.inChannels * g.kernelArea)
    guard g.inChannels * 2 >= Blocks.size else { throw Refusal("the input's channels do not fill half a block") }
    try self.init(conv, .int8, whole.weights, whole)
  }

  private init(
    _ conv: ConvolutionProblem, _ numbers: PackedType, _ weights: StoredWeight, _ whole: Int8Gemm?
  ) throws {
    (self.conv, self.numbers, self.weights, self.whole) = (conv, numbers, weights, whole)
    let g = conv.geometry
    try Blocks.requireCountable(g)
    var window = conv.window
    guard g.groups == 1, ck_block_conv_supports(&window, false) else {
      throw Refusal("not one group in two dimensions")
    }
    if whole == nil {
      (image, scratch) = (
        Blocks.padded(numbers.count(g.inChannels)) * g.inputArea, ck_block_conv_bf16_scratch_size(&window)
      )
    } else {
      (image, scratch) = (try Self.byteImage(g, &window), 0)
    }
    guard scratch <= Blocks.mostScratch else {
      throw Refusal("a line of windows takes more than \(Blocks.mostScratch >> 18) megabytes")
    }
    let pieces = conv.threads == 1 ? 1 : 4 * conv.threads
    rows = Chunks(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    units = Chunks(ck_block_conv_units(&window), about: pieces / rows.count)
  }

  /// Size, in 32-bit lanes, of an int8 image with its padding.
  static func byteImage(_ g: WindowGeometry, _ window: inout ck_window) throws -> Int {
    // These bounds are far above real sizes and keep the products from overflowing.
    let reaches = (1...2).map { g.output[$0].multipliedReportingOverflow(by: g.strides[$0]) }
    guard reaches.allSatisfy({ !$0.overflow && $0.partialValue <= 1 << 20 }), g.inputArea <= 1 << 32,
      Blocks.padded(g.inChannels) <= 1 << 16
    else { throw Refusal("the image is too large") }
    let size = ck_block_conv_i8_image_size(&window)
    // Large paddings would make an image that is mostly padding.
    guard size <= 2 * Blocks.padded(g.inChannels) * g.inputArea + Blocks.mostScratch else {
      throw Refusal("the image with its padding takes too much")
    }
    return size
  }

  var candidate: Candidate {
    get throws {
      let g = conv.geometry
      let depth = Double(numbers.count(g.inChannels) * g.kernelArea)
      // For int8 windows of one element, the conversion copies only the positions that the strides select.
      let isFlat = g.kernelArea == 1 && (whole != nil || g.strides == [1, 1, 1])
      let sums = Double(min(isFlat ? g.outputArea : g.output[2], 14) * (Blocks.count(g.outChannels) > 1 ? 2 : 1))
      let add = conv.epilogue.add
      let elements =
        Double(g.batch) * Double(conv.inputImage + 2 * image + conv.outputImage) + Double(g.outChannels) * depth
      let candidate = Candidate(
        efficiency: (whole == nil ? 0.95 : 0.9) * depth / (depth + 3) * min(1, sums / (sums + 1.5)),
        scratchBytes: (image + conv.threads * scratch) * 4, inPlace: add.map { [$0] } ?? [], packed: [conv.weight],
        work: Work(
          flops: 2 * depth * numbers.multiplication * Double(g.batch * Blocks.padded(g.outChannels) * g.outputArea),
          bytes: 4 * elements)
      ) { preparation in
        let packed = try PackedWeights.blocked(weights, conv.window, isDense: false, as: numbers, preparation)
        let sums = try whole?.sums()
        return .cpu { run($0, packed, sums) }
      }
      return candidate.blocked([conv.x] + (add.map { [$0] } ?? []))
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights, _ sums: Int8Gemm.Sums?) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let add = conv.epilogue.add(frame)
    let short = frame.scratch.assumingMemoryBound(to: Float.self)
    let (inputImage, outputImage) = (
      Blocks.padded(g.inChannels) * g.inputArea, Blocks.padded(g.outChannels) * g.outputArea
    )
    for number in 0..<g.batch {
      shorten(input + number * inputImage, short, frame.pool)
      let (sum, target) = (add.map { $0 + number * outputImage }, output + number * outputImage)
      frame.pool.run(units.count * rows.count, workers: conv.threads) { items, worker in
        var (shape, epilogue) = (conv.window, conv.epilogue.withoutResidual(frame))
        let memory = short + image + worker * scratch
        for item in items {
          let (lines, range) = (rows[item % rows.count], units[item / rows.count])
          guard let sums else {
            ck_block_conv_bf16_f32(
              &shape, short, packed.pointer, &epilogue, sum, target, memory, range.lowerBound, range.upperBound,
              lines.lowerBound, lines.upperBound)
            continue
          }
          sums.with {
            ck_block_conv_i8_f32(
              &shape, short, packed.pointer, $0, &epilogue, sum, target, range.lowerBound, range.upperBound,
              lines.lowerBound, lines.upperBound)
          }
        }
      }
    }
  }

  /// Converts an image to narrow elements, distributed over the pool.
  private func shorten(_ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ pool: ThreadPool) {
    let g = conv.geometry
    var window = conv.window
    let count = whole == nil ? Blocks.count(numbers.count(g.inChannels)) : ck_block_conv_i8_rows(&window)
    // A bf16 item is a channel block of many rows. An int8 item is one row, so a thread takes several at a time.
    let pieces = whole == nil ? count : 4 * conv.threads
    pool.run(count, grain: conv.threads == 1 ? count : (count + pieces - 1) / pieces) { part in
      guard let whole else {
        ck_block_interleave_bf16(source, g.inChannels, g.inputArea, target, part.lowerBound, part.upperBound)
        return
      }
      var shape = conv.window
      ck_block_conv_i8_image(
        &shape, source, whole.inverse, whole.low, target, part.lowerBound, part.upperBound)
    }
  }
}
