import CKernels
import MIL

extension KernelTable {
  static let poolingRows: [Row] = [
    Row("pool.global", for: ["max_pool", "avg_pool"]) { try PoolingSite($0).globalOffer },
    Row("max_pool.window", for: "max_pool") { try PoolingSite($0).offer { ck_max_pool_f32($0, $1, $2, $3, $4) } },
    Row("l2_pool.window", for: "l2_pool") { try PoolingSite($0).offer { ck_l2_pool_f32($0, $1, $2, $3, $4) } },
    Row("avg_pool.window", for: "avg_pool") { site in
      let pool = try PoolingSite(site)
      let excluded = try site.invocation.bool("exclude_padding_from_average", default: false)
      let correction = excluded ? nil : pool.coverageCorrection
      return pool.offer { window, input, output, begin, end in
        ck_average_pool_f32(window, excluded, input, output, begin, end)
        correction?.apply(output, begin, end)
      }
    },
  ]
}

/// A pool in single precision, as its rows see it.
struct PoolingSite: Sendable {
  let geometry: WindowGeometry
  private let x: Int
  private let threads: Int
  private let isMaximum: Bool

  init(_ site: Site) throws {
    isMaximum = site.operation == "max_pool"
    try site.requireScalar(.float32, of: ["x"])
    geometry = try Pooling.geometry(site.invocation).straightened
    guard !geometry.isEmpty else { throw Refusal("the pool is empty") }
    x = try site.slot("x")
    threads = max(site.threads, 1)
  }

  /// One window over the whole of each plane: a reduction.
  var globalOffer: Offer {
    get throws {
      let area = geometry.inputArea
      guard geometry.kernel == geometry.input, geometry.outputArea == 1, geometry.padBefore == [0, 0, 0],
        geometry.padAfter == [0, 0, 0]
      else { throw Refusal("the window is not the whole of an unpadded plane") }
      let planes = Pieces(geometry.batch * geometry.inChannels, about: threads == 1 ? 1 : 4 * threads)
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

  func offer(
    _ run:
      @escaping @Sendable (
        UnsafePointer<ck_window>, UnsafePointer<Float>, UnsafeMutablePointer<Float>, Int, Int
      ) -> Void
  ) -> Offer {
    let window = geometry.window
    let (channels, batch) = (geometry.inChannels, geometry.batch)
    let (inputImage, outputImage) = (channels * geometry.inputArea, channels * geometry.outputArea)
    let ranges = Pieces(channels, about: threads == 1 ? 1 : 4 * threads)
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

  /// What an average over whole windows is multiplied by where windows go beyond the padded input (`ceil_mode`).
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

/// Factors a position of each spatial axis; most are 1.
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
