import CKernels
import MIL

enum TrainingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("conv_weight.im2col", for: "train.conv_weight") { try WeightGradient($0).candidate },
    KernelImplementation("train.max_pool.window", for: "train.max_pool") { problem in
      let input = try problem.slot("x")
      return try poolGradient(problem) { window, frame, image, output, gradient, begin, end in
        let x: UnsafePointer<Float> = frame.input(input)
        ck_max_pool_gradient_f32(window, x + image, gradient, output, begin, end)
      }
    },
    KernelImplementation("train.pool_sum.window", for: "train.pool_sum") { problem in
      try poolGradient(problem) { window, _, _, output, gradient, begin, end in
        ck_pool_sum_gradient_f32(window, gradient, output, begin, end)
      }
    },
  ]

  /// A candidate whose kernel computes channels `begin ..< end` of one image. The kernel gets the image's offset in x.
  private static func poolGradient(
    _ problem: KernelProblem,
    _ run:
      @escaping @Sendable (
        UnsafePointer<ck_window>, CPUFrame, Int, UnsafeMutablePointer<Float>, UnsafePointer<Float>, Int, Int
      ) -> Void
  ) throws -> Candidate {
    try problem.requireScalar(.float32, of: ["x", "gradient"])
    let geometry = try Pooling.geometry(problem.invocation)
    guard !geometry.isEmpty else { throw Refusal("the pool is empty") }
    guard geometry.dilations == [1, 1, 1] else { throw Refusal("the window is dilated") }
    let (window, channels, batch) = (geometry.window, geometry.inChannels, geometry.batch)
    let (inputImage, outputImage) = (channels * geometry.inputArea, channels * geometry.outputArea)
    let gradient = try problem.slot("gradient")
    let threads = max(problem.threads, 1)
    let ranges = Chunks(channels, about: threads == 1 ? 1 : 4 * threads)
    return .cpu(efficiency: 0.1) { frame in
      let source: UnsafePointer<Float> = frame.input(gradient)
      let output: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(batch * ranges.count) { items in
        var shape = window
        for item in items {
          let image = item / ranges.count
          let range = ranges[item % ranges.count]
          run(
            &shape, frame, image * inputImage, output + image * inputImage, source + image * outputImage,
            range.lowerBound, range.upperBound)
        }
      }
    }
  }
}

/// The gradient of a convolution's weights as matrix products: the output's gradient times the transposed im2col
/// columns, accumulated over images and tiles of positions. Threads share input channels.
struct WeightGradient: Sendable {
  private let geometry: WindowGeometry
  private let x: Int
  private let gradient: Int
  private let threads: Int
  private let channels: Chunks
  private let lines: Int
  private let tileFloats: Int

  /// Limit in fp32 elements for the columns that are filled at a time.
  private static let tileLimit = 1 << 18

  init(_ problem: KernelProblem) throws {
    try problem.requireScalar(.float32, of: ["x", "gradient", "weight"])
    geometry = try Convolution.geometry(problem.invocation)
    guard !geometry.isEmpty else { throw Refusal("the convolution is empty") }
    x = try problem.slot("x")
    gradient = try problem.slot("gradient")
    threads = max(problem.threads, 1)
    let (groupIn, groupOut) = (geometry.inChannels / geometry.groups, geometry.outChannels / geometry.groups)
    channels = Chunks(groupIn, about: threads == 1 ? 1 : 2 * threads)
    let (depth, overflow) = channels.size.multipliedReportingOverflow(by: geometry.kernelArea)
    let width = geometry.output[2]
    guard !overflow, width <= 1 << 28 / max(depth, 1) else { throw Refusal("one row of columns takes a gigabyte") }
    lines = min(max(Self.tileLimit / (depth * width), 1), geometry.output[0] * geometry.output[1])
    tileFloats = (depth * width * lines + 15) / 16 * 16
    try Refusal.unlessProduct(groupOut, groupIn * geometry.kernelArea, geometry.outputArea)
  }

  var candidate: Candidate {
    let g = geometry
    let (groupIn, groupOut, area, taps) = (
      g.inChannels / g.groups, g.outChannels / g.groups, g.outputArea, g.kernelArea
    )
    let (rows, width) = (g.output[0] * g.output[1], g.output[2])
    let (inputImage, outputImage) = (g.inChannels * g.inputArea, g.outChannels * area)
    let efficiency = BLAS.efficiency(m: groupOut, n: channels.size * taps, k: lines * width)
    return .cpu(efficiency: 0.7 * efficiency, scratchBytes: tileFloats * 4 * threads) { frame in
      let input: UnsafePointer<Float> = frame.input(x)
      let source: UnsafePointer<Float> = frame.input(gradient)
      let output: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(g.groups * channels.count, workers: threads) { items, worker in
        let columns = frame.scratch.assumingMemoryBound(to: Float.self) + worker * tileFloats
        var shape = g.window
        for item in items {
          let (group, range) = (item / channels.count, channels[item % channels.count])
          let first = group * groupIn + range.lowerBound
          let depth = range.count * taps
          let target = output + group * groupOut * groupIn * taps + range.lowerBound * taps
          for image in 0..<g.batch {
            for begin in stride(from: 0, to: rows, by: lines) {
              let count = min(lines, rows - begin) * width
              ck_im2col_f32(
                &shape, input + image * inputImage, first, first + range.count, begin, min(begin + lines, rows), columns
              )
              BLAS.multiply(
                source + image * outputImage + group * groupOut * area + begin * width, lda: area, columns, ldb: count,
                transB: true, target, ldc: groupIn * taps, m: groupOut, n: depth, k: count,
                beta: image == 0 && begin == 0 ? 0 : 1)
            }
          }
        }
      }
    }
  }
}
