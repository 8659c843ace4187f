import CKernels
import MIL

/// Transposed NCHWc convolution, phase by phase (`TransposedPhase`). Each phase is a convolution of stride 1. Its
/// results are stored contiguously in scratch memory and scattered into the output while they are in a cache.
struct BlockedTransposed: Sendable {
  private let conv: ConvolutionProblem
  private let weights: StoredWeight
  private let phases: [TransposedPhase]
  private let units: Chunks
  private let scratch: Int
  /// fp32 elements of one image of the results of the largest phase.
  private let phaseFloats: Int

  init(_ problem: KernelProblem) throws {
    conv = try problem.convolution()
    weights = try problem.weight("weight")
    let g = conv.geometry
    try Blocks.requireUsual(g)
    guard g.strides[1] * g.strides[2] <= 64 else { throw Refusal("more than 64 phases") }
    phases = try TransposedPhase.all(g)
    guard g.inChannels * 2 >= Blocks.size else { throw Refusal("the input's channels do not fill half a block") }
    var scratch = 0
    for phase in phases {
      var window = phase.window
      guard ck_block_conv_supports(&window, false) else { throw Refusal("not two dimensions") }
      scratch = max(scratch, ck_block_conv_scratch_size(&window, false))
    }
    guard scratch <= Blocks.mostScratch, var window = phases.first?.window else {
      throw Refusal("a line of windows takes more than \(Blocks.mostScratch >> 18) megabytes")
    }
    self.scratch = scratch
    units = Chunks(ck_block_conv_units(&window), about: conv.threads == 1 ? 1 : 2 * conv.threads)
    // Each thread needs scratch memory for a whole image of a phase. It computes only a part, but the kernel writes
    // that part at its offset in the image.
    let (floats, overflow) = Blocks.padded(g.outChannels).multipliedReportingOverflow(
      by: (phases.map(\.rows.count).max() ?? 1) * (phases.map(\.columns.count).max() ?? 1))
    guard !overflow, floats <= Blocks.mostScratch else { throw Refusal("the results of a phase take too much memory") }
    phaseFloats = floats
  }

  /// The share of products that are not with padding channels.
  private var filled: Double {
    Double(weights.count) / Double(max(phases.reduce(0) { $0 + $1.packedSize }, 1))
  }

  var candidate: Candidate {
    get throws {
      let candidate = Candidate(
        efficiency: 0.6 * filled, scratchBytes: (scratch + phaseFloats) * 4 * conv.threads, packed: [conv.weight]
      ) { preparation in
        let packed = try PackedWeights.phases(weights, phases, conv.geometry, preparation)
        return .cpu { run($0, packed) }
      }
      return candidate.blocked([conv.x])
    }
  }

  private func run(_ frame: CPUFrame, _ packed: PackedWeights) {
    let g = conv.geometry
    let input: UnsafePointer<Float> = frame.input(conv.x)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let (inputImage, outputImage) = (
      Blocks.padded(g.inChannels) * g.inputArea, Blocks.padded(g.outChannels) * g.outputArea
    )
    frame.pool.run(g.batch * phases.count * units.count, workers: conv.threads) { items, worker in
      let memory = frame.scratch.assumingMemoryBound(to: Float.self) + worker * (scratch + phaseFloats)
      let results = memory + scratch
      var epilogue = conv.epilogue.withoutResidual(frame)
      for item in items {
        let (image, range) = (item / (phases.count * units.count), units[item % units.count])
        let phase = phases[item / units.count % phases.count]
        var window = phase.window
        ck_block_conv_f32(
          &window, false, input + image * inputImage, packed.pointer + phase.begin, &epilogue, nil, results, memory,
          range.lowerBound, range.upperBound, 0, phase.rows.count)
        let first = ck_block_conv_unit_channel(&window, range.lowerBound) / Blocks.size
        let last = Blocks.count(ck_block_conv_unit_channel(&window, range.upperBound))
        for block in first..<last { spread(results, block, phase, to: output + image * outputImage) }
      }
    }
  }

  /// Scatters a range of a phase's results to the output: positions of a phase are `stride` positions apart there.
  private func spread(
    _ results: UnsafePointer<Float>, _ block: Int, _ phase: TransposedPhase, to output: UnsafeMutablePointer<Float>
  ) {
    let (g, size) = (conv.geometry, Blocks.size)
    let (rows, columns) = (phase.rows.count, phase.columns.count)
    let place = (block * g.outputArea + phase.rows.first * g.output[2] + phase.columns.first) * size
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 9) { numbers in
      guard let shape = numbers.baseAddress else { return }
      // The copy moves 8-byte elements of two fp32 values each.
      let (source, target) = (shape + 3, shape + 6)
      (shape[0], shape[1], shape[2]) = (rows, columns, size / 2)
      (source[0], source[1], source[2]) = (columns * size / 2, size / 2, 1)
      (target[0], target[1], target[2]) = (g.strides[1] * g.output[2] * size / 2, g.strides[2] * size / 2, 1)
      _ = ck_copy_strided(8, 3, shape, results + block * rows * columns * size, source, output + place, target)
    }
  }
}

extension PackedWeights {
  /// The weights [inputs, outputs, taps] of a transposed convolution, packed as the weights of its phases in sequence.
  static func phases(
    _ weight: StoredWeight, _ phases: [TransposedPhase], _ g: WindowGeometry, _ preparation: Preparation
  ) throws -> PackedWeights {
    let (inputs, outputs, taps) = (g.inChannels, g.outChannels, g.kernelArea)
    return try PackedWeights(
      weight, "block.phases",
      [inputs, outputs, g.kernel[1], g.kernel[2], g.strides[1], g.strides[2], g.padBefore[1], g.padBefore[2]]
        + [min(g.output[1], g.strides[1]), min(g.output[2], g.strides[2])],
      floats: phases.last.map { $0.begin + $0.packedSize } ?? 0, times: 1, needs: (inputs, outputs * taps), preparation
    ) { target in
      guard var shape = phases.first?.window else { return }
      let most = min(2 * Blocks.size, outputs) * inputs * taps
      let window = try WeightWindow(weight, width: outputs * taps, capacity: most)
      let memory = try PackedMemory.filled(byteCount: most * 4) { _ in }
      let filters = UnsafeMutableRawPointer(mutating: memory.pointer).assumingMemoryBound(to: Float.self)
      withExtendedLifetime(memory) {
        for unit in 0..<ck_block_conv_units(&shape) {
          let channels = ck_block_conv_unit_channel(&shape, unit)..<ck_block_conv_unit_channel(&shape, unit + 1)
          window.read(0..<inputs, channels.lowerBound * taps..<channels.upperBound * taps) { floats, stride in
            for phase in phases {
              var place = 0
              for channel in 0..<channels.count {
                for input in 0..<inputs {
                  for row in phase.rows.taps {
                    for column in phase.columns.taps {
                      filters[place] = floats[input * stride + channel * taps + row * g.kernel[2] + column]
                      place += 1
                    }
                  }
                }
              }
              var own = phase.window
              ck_block_conv_pack_f32(
                &own, false, filters, inputs * phase.taps, unit, unit + 1, target + phase.begin)
            }
          }
        }
      }
    }
  }
}
