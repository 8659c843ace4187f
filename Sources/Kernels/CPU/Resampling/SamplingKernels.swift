import MIL

enum SamplingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("sample.taps", for: ["resample", "affine"]) { problem in
      try problem.requireScalar(.float32, of: ["x", "coordinates", "transform_matrix"])
      let sampler = try ImageSampler(problem.invocation)
      let image = try SampledImages(problem)
      let output = try problem.outputSizes()
      if problem.operation == "resample" {
        let slot = try problem.slot("coordinates")
        return image.candidate { frame, n, row, taps in
          let line = frame.input(slot, as: Float.self) + (n * output[2] + row) * output[3] * 2
          for column in 0..<output[3] {
            taps.set(column, sampler, x: Double(line[2 * column]), y: Double(line[2 * column + 1]), image.size)
          }
        }
      }
      let slot = try problem.slot("transform_matrix")
      let isShared = try problem.sizes("transform_matrix")[0] == 1
      return image.candidate { frame, n, row, taps in
        let m = frame.input(slot, as: Float.self) + (isShared ? 0 : n * 6)
        let y = sampler.coordinate(row, size: output[2])
        for column in 0..<output[3] {
          let x = sampler.coordinate(column, size: output[3])
          taps.set(
            column, sampler, x: Double(m[0]) * x + Double(m[1]) * y + Double(m[2]),
            y: Double(m[3]) * x + Double(m[4]) * y + Double(m[5]), image.size)
        }
      }
    },
    KernelImplementation("crop_resize.taps", for: "crop_resize") { problem in
      guard !problem.has("roi") else { throw Refusal("boxes in the form of 'roi'") }
      try problem.requireScalar(.float32, of: ["x", "boxes"])
      if problem.has("box_indices") { try problem.requireScalar(.int32, of: ["box_indices"]) }
      let rule = try CropResize(problem.invocation)
      let image = try SampledImages(problem)
      let output = try problem.outputSizes()
      let (boxes, indices) = (try problem.slot("boxes"), problem.optionalSlot("box_indices"))
      let batch = try problem.sizes("x")[0]
      return image.candidate(
        source: { frame, n in indices.map { Int(frame.input($0, as: Int32.self)[n]) } ?? n },
        check: { frame in
          for n in 0..<output[0] {
            let index = indices.map { Int(frame.input($0, as: Int32.self)[n]) } ?? n
            guard index >= 0, index < batch else {
              throw KernelError(
                .invalidInput, "crop_resize: the image index \(index) is not below the batch size \(batch)")
            }
          }
        },
        taps: { frame, n, row, taps in
          let box = frame.input(boxes, as: Float.self) + n * 4
          let (h, w) = rule.isWidthFirst ? (1, 0) : (0, 1)
          let y = rule.position(
            row, of: output[2], first: Double(box[h]), second: Double(box[h + 2]), size: image.size.height)
          for column in 0..<output[3] {
            let x = rule.position(
              column, of: output[3], first: Double(box[w]), second: Double(box[w + 2]), size: image.size.width)
            taps.set(column, x: x, y: y, outside: rule.padValue, image.size)
          }
        })
    },
  ]
}

/// The sources of a line of output pixels: for each pixel four elements of a plane, their weights, and a constant.
struct SampleTaps {
  let offsets: UnsafeMutablePointer<Int32>
  let weights: UnsafeMutablePointer<Float>
  let constants: UnsafeMutablePointer<Float>

  static func bytes(_ columns: Int) -> Int { (columns * (4 * 4 + 4 * 4 + 4) + 63) / 64 * 64 }

  init(_ memory: UnsafeMutableRawPointer, columns: Int) {
    offsets = memory.assumingMemoryBound(to: Int32.self)
    weights = (memory + columns * 16).assumingMemoryBound(to: Float.self)
    constants = (memory + columns * 32).assumingMemoryBound(to: Float.self)
  }

  private func put(_ column: Int, _ tap: Int, _ offset: Int, _ weight: Double) {
    offsets[4 * column + tap] = Int32(truncatingIfNeeded: offset)
    weights[4 * column + tap] = Float(weight)
  }

  /// The pixel at coordinates in the sampler's mode.
  func set(_ column: Int, _ sampler: ImageSampler, x: Double, y: Double, _ size: (height: Int, width: Int)) {
    var (r, c) = (sampler.pixel(y, size: size.height), sampler.pixel(x, size: size.width))
    if sampler.isNearest { (r, c) = (r.rounded(.toNearestOrEven), c.rounded(.toNearestOrEven)) }
    let (top, left) = (r.rounded(.down), c.rounded(.down))
    let (down, right) = r.isFinite && c.isFinite ? (r - top, c - left) : (0, 0)
    var constant = 0.0
    for tap in 0..<4 {
      let (dr, dc) = (Double(tap / 2), Double(tap % 2))
      let weight = (dr == 0 ? 1 - down : down) * (dc == 0 ? 1 - right : right)
      if let row = sampler.source(top + dr, size: size.height), let at = sampler.source(left + dc, size: size.width) {
        put(column, tap, row * size.width + at, weight)
      } else {
        put(column, tap, 0, 0)
        constant += weight * sampler.paddingValue
      }
    }
    constants[column] = Float(constant)
  }

  /// The pixel at a position. Outside of the image it is a constant.
  func set(_ column: Int, x: Double, y: Double, outside: Double, _ size: (height: Int, width: Int)) {
    guard y >= 0, y <= Double(size.height - 1), x >= 0, x <= Double(size.width - 1) else {
      for tap in 0..<4 { put(column, tap, 0, 0) }
      constants[column] = Float(outside)
      return
    }
    let (top, left) = (Int(y), Int(x))
    let (down, right) = (y - Double(top), x - Double(left))
    let (bottom, next) = (min(top + 1, size.height - 1), min(left + 1, size.width - 1))
    put(column, 0, top * size.width + left, (1 - down) * (1 - right))
    put(column, 1, top * size.width + next, (1 - down) * right)
    put(column, 2, bottom * size.width + left, down * (1 - right))
    put(column, 3, bottom * size.width + next, down * right)
    constants[column] = 0
  }

  func apply(_ plane: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>, _ columns: Int) {
    for column in 0..<columns {
      let (o, w) = (offsets + 4 * column, weights + 4 * column)
      output[column] =
        constants[column] + w[0] * plane[Int(o[0])] + w[1] * plane[Int(o[1])] + w[2] * plane[Int(o[2])]
        + w[3] * plane[Int(o[3])]
    }
  }
}

/// Samples images [B, C, H, W] at computed positions into [N, C, h, w], line by line.
struct SampledImages: Sendable {
  let size: (height: Int, width: Int)
  private let x: Int
  private let channels: Int
  private let output: [Int]
  private let threads: Int

  init(_ problem: KernelProblem) throws {
    let sizes = try problem.sizes("x")
    output = try problem.outputSizes()
    guard sizes.allSatisfy({ $0 >= 1 }), sizes[2] * sizes[3] <= Int(Int32.max), output.allSatisfy({ $0 >= 1 }) else {
      throw Refusal("the images are empty or too large")
    }
    x = try problem.slot("x")
    channels = sizes[1]
    size = (sizes[2], sizes[3])
    threads = max(problem.threads, 1)
  }

  /// `check` validates the frame first. `taps(frame, n, row, taps)` fills a line. `source` returns the image that
  /// output `n` reads.
  func candidate(
    source: @escaping @Sendable (CPUFrame, Int) -> Int = { $1 },
    check: @escaping @Sendable (CPUFrame) throws -> Void = { _ in },
    taps: @escaping @Sendable (CPUFrame, Int, Int, SampleTaps) -> Void
  ) -> Candidate {
    let (rows, columns) = (output[2], output[3])
    let bytes = SampleTaps.bytes(columns)
    return .cpu(efficiency: 0.05, scratchBytes: bytes * threads) { frame in
      try check(frame)
      let images: UnsafePointer<Float> = frame.input(x)
      let target: UnsafeMutablePointer<Float> = frame.output()
      frame.pool.run(output[0] * rows, grain: max(rows / 16, 1), workers: threads) { items, worker in
        let line = SampleTaps(frame.scratch + worker * bytes, columns: columns)
        for item in items {
          let (n, row) = (item / rows, item % rows)
          taps(frame, n, row, line)
          let image = source(frame, n)
          for channel in 0..<channels {
            line.apply(
              images + (image * channels + channel) * size.height * size.width,
              target + ((n * channels + channel) * rows + row) * columns, columns)
          }
        }
      }
    }
  }
}
