import CKernels
import MIL

enum PoolingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("pool.global", for: ["max_pool", "avg_pool"]) { try PoolingProblem($0).globalCandidate },
    KernelImplementation("max_pool.window", for: "max_pool") {
      try PoolingProblem($0).candidate { ck_max_pool_f32($0, $1, $2, $3, $4) }
    },
    KernelImplementation("l2_pool.window", for: "l2_pool") {
      try PoolingProblem($0).candidate { ck_l2_pool_f32($0, $1, $2, $3, $4) }
    },
    KernelImplementation("avg_pool.window", for: "avg_pool") { problem in
      let pool = try PoolingProblem(problem)
      let excluded = try problem.invocation.bool("exclude_padding_from_average", default: false)
      let correction = excluded ? nil : pool.coverageCorrection
      return pool.candidate { window, input, output, begin, end in
        ck_average_pool_f32(window, excluded, input, output, begin, end)
        correction?.apply(output, begin, end)
      }
    },
  ]
}

/// An fp32 pool, as its kernels see it.
struct PoolingProblem: Sendable {
  let geometry: WindowGeometry
  private let x: Int
  private let threads: Int
  private let isMaximum: Bool

  init(_ problem: KernelProblem) throws {
    isMaximum = problem.operation == "max_pool"
    try problem.requireScalar(.float32, of: ["x"])
    geometry = try Pooling.geometry(problem.invocation).straightened
    guard !geometry.isEmpty else { throw Refusal("the pool is empty") }
    x = try problem.slot("x")
    threads = max(problem.threads, 1)
  }

  /// Global pooling: one window over each whole plane, computed as a reduction.
  var globalCandidate: Candidate {
    get throws {
      let area = geometry.inputArea
      guard geometry.kernel == geometry.input, geometry.outputArea == 1, geometry.padBefore == [0, 0, 0],
        geometry.padAfter == [0, 0, 0]
      else { throw Refusal("the window is not the whole of an unpadded plane") }
      let planes = Chunks(geometry.batch * geometry.inChannels, about: threads == 1 ? 1 : 4 * threads)
      let operation = isMaximum ? CK_REDUCE_MAX : CK_REDUCE_MEAN
      return .cpu(efficiency: 0.15) { frame in
        let input: UnsafePointer<Float> = frame.input(x)
        let output: UnsafeMutablePointer<Float> = frame.output()
        frame.pool.run(planes.count) { items in
          for item in items {
            let range = planes[item]
            ck_reduce_f32(operation, input + range.lowerBound * area, output + range.lowerBound, range.count, area, 1)
          }
        }
      }
    }
  }

  func candidate(
    _ run:
      @escaping @Sendable (
        UnsafePointer<ck_window>, UnsafePointer<Float>, UnsafeMutablePointer<Float>, Int, Int
      ) -> Void
  ) -> Candidate {
    let window = geometry.window
    let (channels, batch) = (geometry.inChannels, geometry.batch)
    let (inputImage, outputImage) = (channels * geometry.inputArea, channels * geometry.outputArea)
    let ranges = Chunks(channels, about: threads == 1 ? 1 : 4 * threads)
    return .cpu(efficiency: 0.1) { frame in
      let input: UnsafePointer<Float> = frame.input(x)
      let output: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(batch * ranges.count) { items in
        var shape = window
        for item in items {
          let image = item / ranges.count
          let range = ranges[item % ranges.count]
          run(&shape, input + image * inputImage, output + image * outputImage, range.lowerBound, range.upperBound)
        }
      }
    }
  }

  /// Corrects averages over whole windows where windows extend beyond the padded input (`ceil_mode`). Nil if none do.
  var coverageCorrection: CoverageCorrection? {
    let factors = (0..<3).map { axis in
      (0..<geometry.output[axis]).map { o -> Float in
        let covered = geometry.coverage(axis: axis, o)
        return covered > 0 ? Float(geometry.kernel[axis]) / Float(covered) : 0
      }
    }
    guard factors.joined().contains(where: { $0 != 1 }) else { return nil }
    return CoverageCorrection(depth: factors[0], height: factors[1], width: factors[2])
  }
}

/// Factors for the positions of each spatial axis. Most are 1.
struct CoverageCorrection: Sendable {
  let depth: [Float]
  let height: [Float]
  let width: [Float]

  func apply(_ output: UnsafeMutablePointer<Float>, _ begin: Int, _ end: Int) {
    var line = output + begin * depth.count * height.count * width.count
    for _ in begin..<end {
      for z in depth {
        for y in height {
          let outer = z * y
          for (index, x) in width.enumerated() where outer * x != 1 { line[index] *= outer * x }
          line += width.count
        }
      }
    }
  }
}
