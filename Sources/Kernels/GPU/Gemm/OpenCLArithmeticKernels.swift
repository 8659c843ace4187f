import MIL

/// OpenCL kernels for convolutions, `linear`, `matmul` and pooling. Each way to compute an operation is one kernel.
///
/// Kernels whose name has the fp16 `suffix` read constant weights as fp16 if fp16 holds them exactly. That takes half
/// the memory and half the bandwidth.
enum OpenCLArithmeticKernels {
  static let all: [KernelImplementation] =
    openCLConvolutionKernels + openCLProductKernels + [poolRow]

  private static let openCLConvolutionKernels: [KernelImplementation] =
    [CLConvolution.Way.vector, .pointwise, .tiles, .direct].flatMap { way in
      [true, false].map { f16 in
        KernelImplementation(
          "conv.opencl.\(way.rawValue)\(suffix(f16))", for: ["conv", "fused.conv"], on: .openCL, mixesPrecisions: true
        ) {
          problem in
          try openCLConvolution(problem, Convolution.geometry(problem.invocation), by: way, f16)
        }
      }
    }
    + [true, false].map { f16 in
      KernelImplementation(
        "conv_transpose.opencl\(suffix(f16))", for: "conv_transpose", on: .openCL, mixesPrecisions: true
      ) { problem in
        try openCLConvolution(problem, TransposedConvolution.geometry(problem.invocation), by: .transposed, f16)
      }
    }

  private static let openCLProductKernels: [KernelImplementation] = CLMatrixProduct.Way.allCases.flatMap { way in
    [true, false].flatMap { f16 in
      [
        KernelImplementation(
          "linear.opencl.\(way.rawValue)\(suffix(f16))", for: ["linear", "fused.linear"], on: .openCL,
          mixesPrecisions: true
        ) { problem in
          try openCLLinear(problem, by: way, f16)
        },
        KernelImplementation(
          "matmul.opencl.\(way.rawValue)\(suffix(f16))", for: "matmul", on: .openCL, mixesPrecisions: true
        ) { problem in
          try openCLMatmul(problem, by: way, f16)
        },
      ]
    }
  }

  private static func suffix(_ f16: Bool) -> String { f16 ? ".f16" : "" }

  private static func openCLConvolution(
    _ problem: KernelProblem, _ geometry: WindowGeometry, by way: CLConvolution.Way, _ storesF16: Bool
  ) throws -> Candidate {
    try problem.requireScalar(.float32, of: ["weight", "bias"])
    let f16 = try problem.openCLF16Operands(["x": .first, "add": .add])
    let context = try problem.requireOpenCL()
    let shape = CLConvolution.Shape(
      images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
      window: try geometry.openCLWindow())
    let end = try OpenCLEpilogue(problem)
    let product = shape.product(hasBias: end.bias != nil)
    let (efficiency, parts) = try shape.sharing(of: way, on: context.device)
    let x = try problem.slot("x")
    let weight = try OpenCLWeight(problem, "weight", storesF16)
    let latency = try shape.latency(of: way, parts: parts, on: context.device)
    return try weight.candidate(problem, efficiency: efficiency, parts: parts, latency: latency, of: product) {
      stored in
      let launch = try CLConvolution(
        context, shape, by: way, f16: stored == nil ? f16 : f16.union(.second), hasBias: end.bias != nil,
        hasAdd: end.add != nil, then: end.then, for: end.operation, parts: parts)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, x: frame.inputs[x], weights: stored ?? frame.inputs[weight.slot],
          bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, y: frame.outputs[0],
          scratch: frame.scratch)
      }
    }
  }

  private static func openCLLinear(_ problem: KernelProblem, by way: CLMatrixProduct.Way, _ storesF16: Bool) throws
    -> Candidate
  {
    try problem.requireScalar(.float32, of: ["weight", "bias"])
    let f16 = try problem.openCLF16Operands(["x": .first, "add": .add])
    let sizes = try problem.sizes("x")
    let weights = try problem.sizes("weight")
    let isTransposed = try problem.invocation.bool("transpose_weight", default: true)
    guard let depth = sizes.last, depth > 0 else { throw Refusal("there is nothing to sum") }
    let end = try OpenCLEpilogue(problem)
    let shape = CLMatrixProduct.Shape(
      m: sizes.dropLast().reduce(1, *), n: weights[isTransposed ? 0 : 1], k: depth, transposeB: isTransposed,
      bias: end.bias == nil ? .none : .columns)
    return try openCLProduct(
      problem, shape, by: way, end, try problem.slot("x"), OpenCLWeight(problem, "weight", storesF16), f16)
  }

  private static func openCLMatmul(_ problem: KernelProblem, by way: CLMatrixProduct.Way, _ storesF16: Bool) throws
    -> Candidate
  {
    let f16 = try problem.openCLF16Operands(["x": .first, "y": .second])
    return try openCLProduct(
      problem, matmulShape(problem), by: way, OpenCLEpilogue(problem), try problem.slot("x"),
      OpenCLWeight(problem, "y", storesF16), f16)
  }

  /// The matrix product of a `matmul`. Refuses vectors.
  static func matmulShape(_ problem: KernelProblem) throws -> CLMatrixProduct.Shape {
    let (a, b, c) = (try problem.sizes("x"), try problem.sizes("y"), try problem.outputSizes())
    guard a.count >= 2, b.count >= 2, c.count >= 2 else { throw Refusal("a product with a vector") }
    let transposeA = try problem.invocation.bool("transpose_x", default: false)
    let transposeB = try problem.invocation.bool("transpose_y", default: false)
    let (m, n) = (c[c.count - 2], c[c.count - 1])
    let k = a[a.count - (transposeA ? 2 : 1)]
    let batch = try Refusal.onLaunchError {
      try CLMatrixProduct.Batch(
        a: Array(a.dropLast(2)), matrixA: m * k, b: Array(b.dropLast(2)), matrixB: k * n, output: Array(c.dropLast(2)))
    }
    return CLMatrixProduct.Shape(m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB, batch: batch)
  }

  private static func openCLProduct(
    _ problem: KernelProblem, _ shape: CLMatrixProduct.Shape, by way: CLMatrixProduct.Way, _ end: OpenCLEpilogue,
    _ a: Int,
    _ weight: OpenCLWeight, _ f16: F16Operands
  ) throws -> Candidate {
    let context = try problem.requireOpenCL()
    let (efficiency, parts) = try shape.sharing(of: way, on: context.device)
    let latency = try shape.latency(of: way, parts: parts, on: context.device)
    return try weight.candidate(problem, efficiency: efficiency, parts: parts, latency: latency, of: shape) { stored in
      let launch = try CLMatrixProduct(
        context, shape, by: way, f16: stored == nil ? f16 : f16.union(.second), hasAdd: end.add != nil,
        then: end.then, for: end.operation, tile: nil, parts: parts)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, a: frame.inputs[a], b: stored ?? frame.inputs[weight.slot],
          bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0],
          scratch: frame.scratch)
      }
    }
  }

  private static let poolRow =
    KernelImplementation("pool.opencl", for: ["max_pool", "avg_pool", "l2_pool"], on: .openCL, mixesPrecisions: true) {
      problem in
      let f16 = try problem.openCLF16Operands()
      let context = try problem.requireOpenCL()
      if try problem.invocation.bool("ceil_mode", default: false) {
        throw Refusal("windows that reach past the padding")
      }
      let geometry = try Pooling.geometry(problem.invocation)
      let window = try geometry.openCLWindow()
      let mode: CLPool.Mode
      switch problem.operation {
      case "max_pool": mode = .max
      case "l2_pool": mode = .l2
      default:
        mode = .average(countsPadding: try !problem.invocation.bool("exclude_padding_from_average", default: false))
      }
      let x = try problem.slot("x")
      return Candidate(efficiency: 0.1) {
        let launch = try CLPool(
          context, mode, planes: geometry.batch * geometry.inChannels, window: window, f16: f16)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }
}

/// The operations on a product before it is stored: bias, residual input, activation.
struct OpenCLEpilogue: Sendable {
  let bias: Int?
  let add: Int?
  let then: CLFunction
  /// The name of the operation in errors.
  let operation: String

  /// Refuses an activation that no kernel supports.
  init(_ problem: KernelProblem) throws {
    bias = problem.optionalSlot("bias")
    add = problem.optionalSlot("add")
    operation = problem.invocation.operation.label
    then =
      problem.operation.hasPrefix("fused.")
      ? try Refusal.onLaunchError { try CLFunction(FusedActivation(problem.invocation)) } : .identity
  }
}

extension KernelProblem {
  func requireOpenCL() throws -> OpenCLContext {
    guard let openCL else { throw Refusal("there is no OpenCL device") }
    return openCL
  }
}

extension WindowGeometry {
  /// The window as launches take it, with two spatial axes.
  func openCLWindow() throws -> CLWindow {
    guard spatialRank <= 2 else { throw Refusal("\(spatialRank) spatial axes") }
    guard batch > 0, inChannels > 0, outputArea > 0, inputArea > 0 else { throw Refusal("an empty tensor") }
    return try Refusal.onLaunchError {
      try CLWindow(
        input: Array(input.suffix(2)), output: Array(output.suffix(2)), kernel: Array(kernel.suffix(2)),
        strides: Array(strides.suffix(2)), dilations: Array(dilations.suffix(2)), padding: Array(padBefore.suffix(2)))
    }
  }
}
