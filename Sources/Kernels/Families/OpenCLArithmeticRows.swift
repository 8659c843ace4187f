import MIL

extension KernelTable {
  /// Generic OpenCL rows around the launches of `OpenCL/Launch`: matrix products, convolutions, pools.
  static let openCLArithmeticRows: [Row] = [
    Row("conv.opencl", for: "conv", on: .openCL) { site in
      try site.requireScalar(.float32, of: ["x", "weight", "bias"])
      let context = try site.requireOpenCL()
      let geometry = try Convolution.geometry(site.invocation)
      let shape = CLConvolution.Shape(
        images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
        window: try geometry.openCLWindow())
      let (x, weight, bias) = (try site.slot("x"), try site.slot("weight"), site.optionalSlot("bias"))
      return Offer(efficiency: 0.3) {
        let launch = try CLConvolution(context, shape, hasBias: bias != nil)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], weights: frame.inputs[weight], bias: bias.map { frame.inputs[$0] },
            y: frame.outputs[0])
        }
      }
    },
    Row("linear.opencl", for: "linear", on: .openCL) { site in
      try site.requireScalar(.float32, of: ["x", "weight", "bias"])
      let context = try site.requireOpenCL()
      let sizes = try site.sizes("x")
      let weights = try site.sizes("weight")
      guard let depth = sizes.last, depth > 0 else { throw Refusal("an empty tensor") }
      let rows = sizes.dropLast().reduce(1, *)
      let (x, weight, bias) = (try site.slot("x"), try site.slot("weight"), site.optionalSlot("bias"))
      return Offer(efficiency: 0.4) {
        let launch = try CLMatrixProduct(
          context, m: rows, n: weights[0], k: depth, transposeB: true, bias: bias == nil ? .none : .columns)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, a: frame.inputs[x], b: frame.inputs[weight], bias: bias.map { frame.inputs[$0] },
            c: frame.outputs[0])
        }
      }
    },
    Row("matmul.opencl", for: "matmul", on: .openCL) { site in
      try site.requireScalar(.float32, of: ["x", "y"])
      let context = try site.requireOpenCL()
      let (a, b, c) = (try site.sizes("x"), try site.sizes("y"), try site.outputSizes())
      guard a.count >= 2, b.count >= 2, c.count >= 2 else { throw Refusal("a product with a vector") }
      let transposeA = try site.invocation.bool("transpose_x", default: false)
      let transposeB = try site.invocation.bool("transpose_y", default: false)
      let (m, n) = (c[c.count - 2], c[c.count - 1])
      let k = a[a.count - (transposeA ? 2 : 1)]
      let batch = try openCLChecked {
        try CLMatrixProduct.Batch(
          a: Array(a.dropLast(2)), matrixA: m * k, b: Array(b.dropLast(2)), matrixB: k * n, output: Array(c.dropLast(2))
        )
      }
      let (x, y) = (try site.slot("x"), try site.slot("y"))
      return Offer(efficiency: 0.4) {
        let launch = try CLMatrixProduct(
          context, m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB, batch: batch)
        return .openCL { frame in
          try launch.enqueue(on: frame.queue, a: frame.inputs[x], b: frame.inputs[y], c: frame.outputs[0])
        }
      }
    },
    Row("pool.opencl", for: ["max_pool", "avg_pool", "l2_pool"], on: .openCL) { site in
      try site.requireScalar(.float32, of: ["x"])
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
        let launch = try CLPool(context, mode, planes: geometry.batch * geometry.inChannels, window: window)
        return .openCL { frame in try launch.enqueue(on: frame.queue, x: frame.inputs[x], y: frame.outputs[0]) }
      }
    },
  ]

  /// What a launch does not take is a refusal, not a fault of the model.
  static func openCLChecked<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KernelError { throw Refusal(error.message) }
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
