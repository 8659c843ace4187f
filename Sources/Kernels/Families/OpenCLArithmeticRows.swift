import MIL

extension KernelTable {
  /// OpenCL rows around products: convolutions, `linear` and `matmul`, a row for each kernel that may compute them; pools.
  ///
  /// Those whose names end in `halves` read constant weights as halves, where they are some: half the memory and half the reading.
  static let openCLArithmeticRows: [Row] = openCLConvolutionRows + openCLProductRows + [poolRow]

  private static let openCLConvolutionRows: [Row] =
    [CLConvolution.Way.vector, .pointwise, .tiles, .direct].flatMap { way in
      [true, false].map { halves in
        Row(
          "conv.opencl.\(way.rawValue)\(suffix(halves))", for: ["conv", "fused.conv"], on: .openCL, mixesHalves: true
        ) {
          site in
          try openCLConvolution(site, Convolution.geometry(site.invocation), by: way, halves)
        }
      }
    }
    + [true, false].map { halves in
      Row("conv_transpose.opencl\(suffix(halves))", for: "conv_transpose", on: .openCL, mixesHalves: true) { site in
        try openCLConvolution(site, TransposedConvolution.geometry(site.invocation), by: .transposed, halves)
      }
    }

  private static let openCLProductRows: [Row] = CLMatrixProduct.Way.allCases.flatMap { way in
    [true, false].flatMap { halves in
      [
        Row(
          "linear.opencl.\(way.rawValue)\(suffix(halves))", for: ["linear", "fused.linear"], on: .openCL,
          mixesHalves: true
        ) { site in
          try openCLLinear(site, by: way, halves)
        },
        Row("matmul.opencl.\(way.rawValue)\(suffix(halves))", for: "matmul", on: .openCL, mixesHalves: true) { site in
          try openCLMatmul(site, by: way, halves)
        },
      ]
    }
  }

  private static func suffix(_ halves: Bool) -> String { halves ? ".halves" : "" }

  private static func openCLConvolution(
    _ site: Site, _ geometry: WindowGeometry, by way: CLConvolution.Way, _ storesHalves: Bool
  ) throws -> Offer {
    try site.requireScalar(.float32, of: ["weight", "bias"])
    let halves = try site.openCLHalves(["x": .first, "add": .add])
    let context = try site.requireOpenCL()
    let shape = CLConvolution.Shape(
      images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
      window: try geometry.openCLWindow())
    let end = try OpenCLEpilogue(site)
    let product = shape.product(hasBias: end.bias != nil)
    let (efficiency, parts) = try shape.sharing(of: way, on: context.device)
    let x = try site.slot("x")
    let weight = try OpenCLWeight(site, "weight", storesHalves)
    let latency = try shape.latency(of: way, parts: parts, on: context.device)
    return try weight.offer(site, efficiency: efficiency, parts: parts, latency: latency, of: product) { stored in
      let launch = try CLConvolution(
        context, shape, by: way, halves: stored == nil ? halves : halves.union(.second), hasBias: end.bias != nil,
        hasAdd: end.add != nil, then: end.then, for: end.operation, parts: parts)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, x: frame.inputs[x], weights: stored ?? frame.inputs[weight.slot],
          bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, y: frame.outputs[0],
          scratch: frame.scratch)
      }
    }
  }

  private static func openCLLinear(_ site: Site, by way: CLMatrixProduct.Way, _ storesHalves: Bool) throws -> Offer {
    try site.requireScalar(.float32, of: ["weight", "bias"])
    let halves = try site.openCLHalves(["x": .first, "add": .add])
    let sizes = try site.sizes("x")
    let weights = try site.sizes("weight")
    let isTransposed = try site.invocation.bool("transpose_weight", default: true)
    guard let depth = sizes.last, depth > 0 else { throw Refusal("there is nothing to sum") }
    let end = try OpenCLEpilogue(site)
    let shape = CLMatrixProduct.Shape(
      m: sizes.dropLast().reduce(1, *), n: weights[isTransposed ? 0 : 1], k: depth, transposeB: isTransposed,
      bias: end.bias == nil ? .none : .columns)
    return try openCLProduct(
      site, shape, by: way, end, try site.slot("x"), OpenCLWeight(site, "weight", storesHalves), halves)
  }

  private static func openCLMatmul(_ site: Site, by way: CLMatrixProduct.Way, _ storesHalves: Bool) throws -> Offer {
    let halves = try site.openCLHalves(["x": .first, "y": .second])
    return try openCLProduct(
      site, openCLMatmulShape(site), by: way, OpenCLEpilogue(site), try site.slot("x"),
      OpenCLWeight(site, "y", storesHalves), halves)
  }

  /// What `matmul` multiplies; refuses vectors.
  static func openCLMatmulShape(_ site: Site) throws -> CLMatrixProduct.Shape {
    let (a, b, c) = (try site.sizes("x"), try site.sizes("y"), try site.outputSizes())
    guard a.count >= 2, b.count >= 2, c.count >= 2 else { throw Refusal("a product with a vector") }
    let transposeA = try site.invocation.bool("transpose_x", default: false)
    let transposeB = try site.invocation.bool("transpose_y", default: false)
    let (m, n) = (c[c.count - 2], c[c.count - 1])
    let k = a[a.count - (transposeA ? 2 : 1)]
    let batch = try openCLChecked {
      try CLMatrixProduct.Batch(
        a: Array(a.dropLast(2)), matrixA: m * k, b: Array(b.dropLast(2)), matrixB: k * n, output: Array(c.dropLast(2)))
    }
    return CLMatrixProduct.Shape(m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB, batch: batch)
  }

  private static func openCLProduct(
    _ site: Site, _ shape: CLMatrixProduct.Shape, by way: CLMatrixProduct.Way, _ end: OpenCLEpilogue, _ a: Int,
    _ weight: OpenCLWeight, _ halves: CLHalves
  ) throws -> Offer {
    let context = try site.requireOpenCL()
    let (efficiency, parts) = try shape.sharing(of: way, on: context.device)
    let latency = try shape.latency(of: way, parts: parts, on: context.device)
    return try weight.offer(site, efficiency: efficiency, parts: parts, latency: latency, of: shape) { stored in
      let launch = try CLMatrixProduct(
        context, shape, by: way, halves: stored == nil ? halves : halves.union(.second), hasAdd: end.add != nil,
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
    Row("pool.opencl", for: ["max_pool", "avg_pool", "l2_pool"], on: .openCL, mixesHalves: true) { site in
      let halves = try site.openCLHalves()
      let context = try site.requireOpenCL()
      if try site.invocation.bool("ceil_mode", default: false) { throw Refusal("windows that reach past the padding") }
      let geometry = try Pooling.geometry(site.invocation)
      let window = try geometry.openCLWindow()
      let mode: CLPool.Mode
      switch site.operation {
      case "max_pool": mode = .max
      case "l2_pool": mode = .l2
      default:
        mode = .average(countsPadding: try !site.invocation.bool("exclude_padding_from_average", default: false))
      }
      let x = try site.slot("x")
      return Offer(efficiency: 0.1) {
        let launch = try CLPool(
          context, mode, planes: geometry.batch * geometry.inChannels, window: window, halves: halves)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    }

  /// What a launch does not take is a refusal, not a fault of the model.
  static func openCLChecked<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KernelError { throw Refusal(error.message) }
  }
}

/// What an operation does to a product before it is stored: bias, residual input, activation.
struct OpenCLEpilogue: Sendable {
  let bias: Int?
  let add: Int?
  let then: CLFunction
  /// What errors call the operation.
  let operation: String

  /// Refuses an activation that no kernel has.
  init(_ site: Site) throws {
    bias = site.optionalSlot("bias")
    add = site.optionalSlot("add")
    operation = site.invocation.operation.label
    then =
      site.operation.hasPrefix("fused.")
      ? try KernelTable.openCLChecked { try CLFunction(FusedActivation(site.invocation)) } : .identity
  }
}

extension Site {
  func requireOpenCL() throws -> OpenCLContext {
    guard let openCL else { throw Refusal("there is no OpenCL device") }
    return openCL
  }
}

extension WindowGeometry {
  /// The launches' form, which has two spatial axes.
  func openCLWindow() throws -> CLWindow {
    guard spatialRank <= 2 else { throw Refusal("\(spatialRank) spatial axes") }
    guard batch > 0, inChannels > 0, outputArea > 0, inputArea > 0 else { throw Refusal("an empty tensor") }
    return try KernelTable.openCLChecked {
      try CLWindow(
        input: Array(input.suffix(2)), output: Array(output.suffix(2)), kernel: Array(kernel.suffix(2)),
        strides: Array(strides.suffix(2)), dilations: Array(dilations.suffix(2)), padding: Array(padBefore.suffix(2)))
    }
  }
}
