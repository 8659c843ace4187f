import CKernels
import MIL

enum ResizingKernels {
  static let all: [KernelImplementation] =
    resizing(inBlocks: false) + resizing(inBlocks: true) + [
      KernelImplementation("crop.copy", for: "crop") { problem in
        let sizes = try problem.sizes("x")
        let output = try problem.outputSizes()
        let width = try problem.scalar("x").bitWidth
        guard width % 8 == 0, width > 0 else { throw Refusal("elements of \(width) bits") }
        let rank = sizes.count
        let (h, w) = (sizes[rank - 2], sizes[rank - 1])
        let planes = sizes[..<(rank - 2)].reduce(1, *)
        let start =
          (try problem.invocation.ints("crop_height")[0] * w + problem.invocation.ints("crop_width")[0]) * width / 8
        let (shape, from, to) = (
          [planes, output[rank - 2], output[rank - 1]], [h * w, w, 1],
          [output[rank - 2] * output[rank - 1], output[rank - 1], 1]
        )
        let x = try problem.slot("x")
        return .cpu(efficiency: 0.05) { frame in
          _ = ck_copy_strided(width / 8, 3, shape, frame.inputs[x] + start, from, frame.outputs[0], to)
        }
      }
    ]
}

extension ResizingKernels {
  private static func resizing(inBlocks: Bool) -> [KernelImplementation] {
    let (nearest, bilinear) =
      inBlocks ? ("resize.nearest.nchwc", "resize.bilinear.nchwc") : ("resize.nearest", "resize.bilinear")
    return [
      KernelImplementation(nearest, for: "upsample_nearest_neighbor") { problem in
        try ResizingProblem(problem, inBlocks).nearest { NearestSample.ofStart($0, of: $1, input: $2) }
      },
      KernelImplementation(nearest, for: "resize_nearest_neighbor") { problem in
        try ResizingProblem(problem, inBlocks).nearest { NearestSample.ofMiddle($0, of: $1, input: $2) }
      },
      KernelImplementation(nearest, for: "resize") { problem in
        guard try Resizing.interpolation(problem.invocation) == .nearest else {
          throw Refusal("the interpolation is linear")
        }
        let mode = try SamplingMode(problem.invocation)
        return try ResizingProblem(problem, inBlocks).nearest { NearestSample.inGrid(mode, $0, of: $1, input: $2) }
      },
      KernelImplementation(bilinear, for: ["upsample_bilinear", "resize_bilinear", "resize"]) { problem in
        if problem.operation == "resize", try Resizing.interpolation(problem.invocation) != .linear {
          throw Refusal("the interpolation is nearest neighbour")
        }
        let mode =
          try problem.operation == "upsample_bilinear"
          ? Resizing.upsampleMode(problem.invocation) : SamplingMode(problem.invocation)
        return try ResizingProblem(problem, inBlocks).bilinear(mode)
      },
    ]
  }
}

/// Resizing of the last two axes of fp32 planes, as its kernels see it.
struct ResizingProblem: Sendable {
  private let x: Int
  private let planes: Int
  private let input: (h: Int, w: Int)
  private let output: (h: Int, w: Int)
  private let rows: Chunks
  private let threads: Int
  /// The number of channel blocks for an NCHWc input; nil for a dense input.
  private let blocks: Int?

  init(_ problem: KernelProblem, _ inBlocks: Bool) throws {
    try problem.requireScalar(.float32, of: ["x"])
    let sizes = try problem.sizes("x")
    let result = try problem.outputSizes()
    let rank = sizes.count
    guard rank >= 2, sizes[..<(rank - 2)] == result[..<(rank - 2)] else {
      throw Refusal("more than two axes are resized")
    }
    x = try problem.slot("x")
    planes = sizes[..<(rank - 2)].reduce(1, *)
    if inBlocks {
      guard rank == 4 else { throw Refusal("not images of channels") }
      blocks = sizes[0] * Blocks.count(sizes[1])
    } else {
      blocks = nil
    }
    input = (sizes[rank - 2], sizes[rank - 1])
    output = (result[rank - 2], result[rank - 1])
    guard sizes.allSatisfy({ $0 >= 1 && $0 <= Int(Int32.max) }), output.h >= 1, output.w >= 1,
      output.h <= 1 << 24, output.w <= 1 << 24
    else {
      throw Refusal("an axis is empty or too large")
    }
    threads = max(problem.threads, 1)
    rows = Chunks(output.h, about: threads == 1 ? 1 : (4 * threads + planes - 1) / planes)
  }

  /// `place(index, output size, input size)` returns the index of the input element for an output element.
  func nearest(_ place: (Int, Int, Int) -> Int) -> Candidate {
    let down = (0..<output.h).map { Int32(min(max(place($0, output.h, input.h), 0), input.h - 1)) }
    let across = (0..<output.w).map { Int32(min(max(place($0, output.w, input.w), 0), input.w - 1)) }
    if let blocks {
      func taps(_ places: [Int32]) -> [ck_tap] { places.map { ck_tap(low: $0, high: $0, weight: 0) } }
      return blocked(blocks, taps(down), taps(across))
    }
    return .cpu(efficiency: 0.05) { frame in
      run(frame, planes, down, across) { source, target, ys, xs, count, _ in
        ck_resize_nearest_f32(source, 1, input.h, input.w, ys, xs, target, count, output.w)
      }
    }
  }

  func bilinear(_ mode: SamplingMode) -> Candidate {
    func taps(_ output: Int, _ input: Int) -> [ck_tap] {
      (0..<output).map { index in
        let position = mode.position(index, of: output, input: input)
        let low = min(max(Int(position), 0), input - 1)
        return ck_tap(low: Int32(low), high: Int32(min(low + 1, input - 1)), weight: Float(position - Double(low)))
      }
    }
    let (down, across) = (taps(output.h, input.h), taps(output.w, input.w))
    if let blocks { return blocked(blocks, down, across) }
    let floats = (max(input.w, 2 * output.w) + 15) / 16 * 16
    return .cpu(efficiency: 0.1, scratchBytes: floats * 4 * threads) { frame in
      run(frame, planes, down, across) { source, target, ys, xs, count, worker in
        let line = frame.scratch.assumingMemoryBound(to: Float.self) + worker * floats
        ck_resize_bilinear_f32(source, 1, input.h, input.w, ys, xs, line, target, count, output.w)
      }
    }
  }

  private func blocked(_ blocks: Int, _ down: [ck_tap], _ across: [ck_tap]) -> Candidate {
    Candidate.cpu(efficiency: 0.1) { frame in
      run(frame, blocks, lanes: Blocks.size, down, across) { source, target, ys, xs, count, _ in
        ck_block_resize_f32(source, input.h, input.w, ys, xs, target, count, output.w, 0, 1)
      }
    }.blocked([x])
  }

  /// Calls `body` on several threads for ranges of rows. Its arguments are the input plane, the target, the taps of
  /// rows and columns, the number of rows, and the thread's index.
  private func run<Tap>(
    _ frame: CPUFrame, _ planes: Int, lanes: Int = 1, _ down: [Tap], _ across: [Tap],
    _ body: (
      UnsafePointer<Float>, UnsafeMutablePointer<Float>, UnsafePointer<Tap>, UnsafePointer<Tap>, Int, Int
    ) -> Void
  ) {
    let source: UnsafePointer<Float> = frame.input(x)
    let target: UnsafeMutablePointer<Float> = frame.output()
    down.withUnsafeBufferPointer { down in
      across.withUnsafeBufferPointer { across in
        guard let ys = down.baseAddress, let xs = across.baseAddress else { return }
        frame.pool.run(planes * rows.count, workers: threads) { items, worker in
          for item in items {
            let (plane, range) = (item / rows.count, rows[item % rows.count])
            body(
              source + plane * input.h * input.w * lanes,
              target + (plane * output.h + range.lowerBound) * output.w * lanes, ys + range.lowerBound, xs, range.count,
              worker)
          }
        }
      }
    }
  }
}
