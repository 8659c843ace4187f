import MIL

/// OpenCL kernels that resize the last two axes, with lookup tables of source rows and columns.
enum OpenCLResizingKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("resize.opencl", for: "upsample_nearest_neighbor", on: .openCL, mixesPrecisions: true) {
      problem in
      try OpenCLResizing(problem).nearest { NearestSample.ofStart($0, of: $1, input: $2) }
    },
    KernelImplementation("resize.opencl", for: "resize_nearest_neighbor", on: .openCL, mixesPrecisions: true) {
      problem in
      try OpenCLResizing(problem).nearest { NearestSample.ofMiddle($0, of: $1, input: $2) }
    },
    KernelImplementation(
      "resize.opencl", for: ["upsample_bilinear", "resize_bilinear"], on: .openCL, mixesPrecisions: true
    ) { problem in
      try OpenCLResizing(problem).linear(
        problem.operation == "upsample_bilinear"
          ? Resizing.upsampleMode(problem.invocation) : SamplingMode(problem.invocation))
    },
    KernelImplementation("resize.opencl", for: "resize", on: .openCL, mixesPrecisions: true) { problem in
      let mode = try SamplingMode(problem.invocation)
      let resizing = try OpenCLResizing(problem)
      return try Resizing.interpolation(problem.invocation) == .linear
        ? resizing.linear(mode) : resizing.nearest { NearestSample.inGrid(mode, $0, of: $1, input: $2) }
    },
  ]
}

/// A resizing of planes, as its kernels see it.
private struct OpenCLResizing {
  private let context: OpenCLContext
  private let x: Int
  private let planes: Int
  private let input: [Int]
  private let output: [Int]
  private let f16: F16Operands

  init(_ problem: KernelProblem) throws {
    f16 = try problem.openCLF16Operands()
    context = try problem.requireOpenCL()
    let sizes = try problem.sizes("x")
    let result = try problem.outputSizes()
    guard sizes.count >= 2, sizes.dropLast(2) == result.dropLast(2) else {
      throw Refusal("more than two axes are resized")
    }
    guard !sizes.contains(0), !result.contains(0), sizes.suffix(2).allSatisfy({ $0 <= 1 << 30 }),
      result.suffix(2).allSatisfy({ $0 <= 1 << 24 })
    else { throw Refusal("an axis is empty or too large") }
    x = try problem.slot("x")
    planes = sizes.dropLast(2).reduce(1, *)
    input = Array(sizes.suffix(2))
    output = Array(result.suffix(2))
  }

  /// `place(index, output size, input size)` returns the index of the input element for an output element.
  func nearest(_ place: (Int, Int, Int) -> Int) throws -> Candidate {
    let axes = try (0..<2).map { axis in
      try CLResample.Axis(
        nearest: (0..<output[axis]).map { min(max(place($0, output[axis], input[axis]), 0), input[axis] - 1) },
        size: input[axis])
    }
    return candidate(axes)
  }

  func linear(_ mode: SamplingMode) throws -> Candidate {
    let axes = try (0..<2).map { axis in
      try CLResample.Axis(
        linear: (0..<output[axis]).map { mode.position($0, of: output[axis], input: input[axis]) }, size: input[axis])
    }
    return candidate(axes)
  }

  private func candidate(_ axes: [CLResample.Axis]) -> Candidate {
    let (context, x, planes, f16) = (context, x, planes, f16)
    return Candidate(efficiency: 0.1) {
      let launch = try CLResample(context, planes: planes, rows: axes[0], columns: axes[1], f16: f16)
      return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
    }
  }
}
