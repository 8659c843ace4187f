import MIL

extension KernelTable {
  /// OpenCL rows that resize the last two axes, by tables of where each row and column looks.
  static let openCLResizingRows: [Row] = [
    Row("resize.opencl", for: "upsample_nearest_neighbor", on: .openCL, mixesHalves: true) { site in
      try OpenCLResizing(site).nearest { NearestSample.ofStart($0, of: $1, input: $2) }
    },
    Row("resize.opencl", for: "resize_nearest_neighbor", on: .openCL, mixesHalves: true) { site in
      try OpenCLResizing(site).nearest { NearestSample.ofMiddle($0, of: $1, input: $2) }
    },
    Row("resize.opencl", for: ["upsample_bilinear", "resize_bilinear"], on: .openCL, mixesHalves: true) { site in
      try OpenCLResizing(site).linear(
        site.operation == "upsample_bilinear"
          ? Resizing.upsampleMode(site.invocation) : SamplingMode(site.invocation))
    },
    Row("resize.opencl", for: "resize", on: .openCL, mixesHalves: true) { site in
      let mode = try SamplingMode(site.invocation)
      let resizing = try OpenCLResizing(site)
      return try Resizing.interpolation(site.invocation) == .linear
        ? resizing.linear(mode) : resizing.nearest { NearestSample.inGrid(mode, $0, of: $1, input: $2) }
    },
  ]
}

/// A resizing of planes, as its rows see it.
private struct OpenCLResizing {
  private let context: OpenCLContext
  private let x: Int
  private let planes: Int
  private let input: [Int]
  private let output: [Int]
  private let halves: CLHalves

  init(_ site: Site) throws {
    halves = try site.openCLHalves()
    context = try site.requireOpenCL()
    let sizes = try site.sizes("x")
    let result = try site.outputSizes()
    guard sizes.count >= 2, sizes.dropLast(2) == result.dropLast(2) else {
      throw Refusal("more than two axes are resized")
    }
    guard !sizes.contains(0), !result.contains(0), sizes.suffix(2).allSatisfy({ $0 <= 1 << 30 }),
      result.suffix(2).allSatisfy({ $0 <= 1 << 24 })
    else { throw Refusal("an axis is empty or too large") }
    x = try site.slot("x")
    planes = sizes.dropLast(2).reduce(1, *)
    input = Array(sizes.suffix(2))
    output = Array(result.suffix(2))
  }

  /// `place(index, output size, input size)` names the element that an output takes.
  func nearest(_ place: (Int, Int, Int) -> Int) throws -> Offer {
    let axes = try (0..<2).map { axis in
      try CLResample.Axis(
        nearest: (0..<output[axis]).map { min(max(place($0, output[axis], input[axis]), 0), input[axis] - 1) },
        size: input[axis])
    }
    return offer(axes)
  }

  func linear(_ mode: SamplingMode) throws -> Offer {
    let axes = try (0..<2).map { axis in
      try CLResample.Axis(
        linear: (0..<output[axis]).map { mode.position($0, of: output[axis], input: input[axis]) }, size: input[axis])
    }
    return offer(axes)
  }

  private func offer(_ axes: [CLResample.Axis]) -> Offer {
    let (context, x, planes, halves) = (context, x, planes, halves)
    return Offer(efficiency: 0.1) {
      let launch = try CLResample(context, planes: planes, rows: axes[0], columns: axes[1], halves: halves)
      return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
    }
  }
}
