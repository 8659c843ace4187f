import CKernels
import MIL

/// NCHWc convolution of int8 or uint8 inputs by int8 weights, with byte or fp32 results.
struct QuantizedConvolution: Sendable {
  private let problem: QuantizedProblem
  /// Whether the input is dense with few channels, which the kernel converts to planes of four channels.
  private let isDense: Bool
  private let units: Chunks
  private let rows: Chunks
  /// Bytes of the copy of the input with its padding. Zero if the input is read in place.
  private let image: Int

  init(_ problem: KernelProblem, from source: BlockedConvolution.Source) throws {
    isDense = source == .dense
    self.problem = try QuantizedProblem(problem)
    let g = self.problem.geometry
    guard g.groups == 1 else { throw Refusal("more than one group") }
    guard isDense == (g.inChannels * 2 < Blocks.size) else {
      throw Refusal(isDense ? "the input fills half a block" : "the input's channels do not fill half a block")
    }
    guard !isDense || self.problem.result != nil else { throw Refusal("the result is not int8 or uint8") }
    var window = self.problem.window
    guard ck_block_conv_supports(&window, false) else { throw Refusal("not two dimensions") }
    try Blocks.requireCountable(g)
    if isDense {
      _ = try LowPrecisionConvolution.byteImage(g, &window)
      image = ck_int8_planes_size(&window) * 4
    } else {
      image = ck_int8_conv_is_plain(&window) ? 0 : try LowPrecisionConvolution.byteImage(g, &window) * 4
    }
    let pieces = self.problem.threads == 1 ? 1 : 4 * self.problem.threads
    rows = Chunks(g.output[1], about: min(pieces, (g.output[1] + 3) / 4))
    // Two units share the positions of an int8 block, and therefore cache lines.
    units = Chunks(
      ck_block_conv_units(&window), about: pieces / rows.count, multiple: self.problem.result == nil ? 1 : 2)
  }

  var candidate: Candidate {
    get throws {
      let g = problem.geometry
      let depth = Double((g.inChannels + 3) / 4 * g.kernelArea)
      let sums = Double(
        min(g.kernelArea == 1 ? g.outputArea : g.output[2], 14) * (Blocks.count(g.outChannels) > 1 ? 2 : 1))
      let bytes =
        Double(g.batch) * Double(Int8Blocks.padded(g.inChannels) * g.inputArea + image * 2)
        + Double(g.batch) * Double(g.outChannels * g.outputArea) * (problem.result == nil ? 4 : 1) + 4
        * Double(g.outChannels) * depth
      let candidate = Candidate(
        efficiency: 0.9 * depth / (depth + 3) * min(1, sums / (sums + 1.5)), scratchBytes: image,
        packed: [problem.weight],
        work: Work(flops: 2 * depth * Double(g.batch * Blocks.padded(g.outChannels) * g.outputArea), bytes: bytes)
      ) { preparation in
        let packed = try PackedWeights.blocked(
          problem.product.weights, problem.window, isDense: isDense, as: .int8, preparation)
        guard let result = problem.result else {
          let sums = try problem.product.sums()
          return .cpu { frame in
            run(frame) { window, image, number, units, rows in
              var epilogue = problem.epilogue.withoutResidual(frame)
              let place = number * Blocks.padded(g.outChannels) * g.outputArea
              let add = problem.epilogue.add(frame).map { $0 + place }
              sums.with {
                ck_block_conv_i8_f32(
                  window, image, packed.pointer, $0, &epilogue, add, frame.output(0, as: Float.self) + place,
                  units.lowerBound, units.upperBound, rows.lowerBound, rows.upperBound)
              }
            }
          }
        }
        let sums = try problem.byteSums(result)
        return .cpu { frame in
          run(frame) { window, image, number, units, rows in
            let place = number * Int8Blocks.padded(g.outChannels) * g.outputArea
            sums.with {
              ck_int8_conv(
                window, isDense, image, packed.pointer, $0, result.steps.steps, frame.output(0, as: UInt8.self) + place,
                units.lowerBound,
                units.upperBound, rows.lowerBound, rows.upperBound)
            }
          }
        }
      }
      return candidate.byteBlocked(isDense ? [] : [problem.x], givesBytes: problem.result != nil)
        .taking(problem.epilogue.add.map { [$0] } ?? [], Blocks.layout)
    }
  }

  private func run(
    _ frame: CPUFrame,
    _ body: (UnsafePointer<ck_window>, UnsafePointer<Float>, Int, Range<Int>, Range<Int>) -> Void
  ) {
    let g = problem.geometry
    let input = frame.input(problem.x, as: UInt8.self)
    let size = (isDense ? g.inChannels : Int8Blocks.padded(g.inChannels)) * g.inputArea
    for number in 0..<g.batch {
      let source = input + number * size
      var numbers = UnsafeRawPointer(source).assumingMemoryBound(to: Float.self)
      if image > 0 {
        let target = frame.scratch.assumingMemoryBound(to: Float.self)
        surround(source, target, frame.pool)
        numbers = UnsafePointer(target)
      }
      frame.pool.run(units.count * rows.count, workers: problem.threads) { items, _ in
        var window = problem.window
        for item in items { body(&window, numbers, number, units[item / rows.count], rows[item % rows.count]) }
      }
    }
  }

  /// Writes the image with its padding.
  private func surround(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<Float>, _ pool: ThreadPool) {
    var window = problem.window
    let planes = (problem.geometry.inChannels + 3) / 4
    let count = ck_block_conv_i8_rows(&window) * (isDense ? planes : 1)
    pool.run(count, grain: max(count / (4 * problem.threads), 1)) { part in
      var window = problem.window
      if isDense {
        ck_int8_planes(
          &window, source, problem.flip, problem.scale.nothing, target, part.lowerBound, part.upperBound)
      } else {
        ck_int8_conv_image(&window, source, problem.scale.nothing, target, part.lowerBound, part.upperBound)
      }
    }
  }
}

extension Candidate {
  fileprivate func taking(_ slots: [Int], _ layout: Layout) -> Candidate {
    var candidate = self
    for slot in slots { candidate.takes[slot] = layout }
    return candidate
  }
}
