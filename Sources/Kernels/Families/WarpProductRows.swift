import MIL

extension KernelTable {
  /// Products on a GPU's units for matrices: `linear`, `matmul` and convolutions whose factors are halves as they stand or, where low precision
  /// is allowed, single-precision numbers that are rounded as they are used. Where a device has no such units, or a product did not come out
  /// right there, all of them refuse and the rows for any device take the operation.
  static let warpProductRows: [Row] = [
    warpLinear("linear.mma.halves", .halves), warpLinear("linear.mma.tf32", .floats),
    // A second factor that run time gives, and one that is a constant.
    warpMatmul("matmul.mma.halves", .halves, isStored: false),
    warpMatmul("matmul.mma.stored.halves", .halves, isStored: true),
    warpMatmul("matmul.mma.tf32", .floats, isStored: false), warpConvolution("conv.mma.halves", .halves),
    warpConvolution("conv.mma.tf32", .floats),
  ]

  private static func warpLinear(_ name: String, _ factors: CLWarpProduct.Factors) -> Row {
    Row(name, for: ["linear", "fused.linear"], on: .openCL, mixesHalves: true) { site in
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
      return try warpProduct(
        site, factors, shape, end, site.slot("x"), OpenCLWeight(site, "weight", factors == .halves), halves)
    }
  }

  private static func warpMatmul(_ name: String, _ factors: CLWarpProduct.Factors, isStored: Bool) -> Row {
    Row(name, for: "matmul", on: .openCL, mixesHalves: true) { site in
      let halves = try site.openCLHalves(["x": .first, "y": .second])
      guard isStored || halves.contains(.second) == (factors == .halves) else {
        throw Refusal("the second factor is not \(factors.rawValue)")
      }
      let shape = try openCLMatmulShape(site)
      return try warpProduct(
        site, factors, shape, OpenCLEpilogue(site), site.slot("x"), OpenCLWeight(site, "y", isStored), halves)
    }
  }

  private static func warpProduct(
    _ site: Site, _ factors: CLWarpProduct.Factors, _ shape: CLMatrixProduct.Shape, _ end: OpenCLEpilogue, _ a: Int,
    _ weight: OpenCLWeight, _ halves: CLHalves
  ) throws -> Offer {
    let (context, warps) = (try site.requireOpenCL(), try site.requireWarps(factors, halves))
    let (efficiency, parts) = try warpEfficiency(shape, factors, on: context.device)
    return try weight.offer(site, efficiency: efficiency, parts: parts, of: shape) { stored in
      let launch = try CLWarpProduct(
        context, warps, shape, of: factors, halves: halves, hasAdd: end.add != nil, then: end.then, for: end.operation,
        parts: parts)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, a: frame.inputs[a], b: stored ?? frame.inputs[weight.slot],
          bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0],
          scratch: frame.scratch)
      }
    }
  }

  private static func warpConvolution(_ name: String, _ factors: CLWarpProduct.Factors) -> Row {
    Row(name, for: ["conv", "fused.conv"], on: .openCL, mixesHalves: true) { site in
      try site.requireScalar(.float32, of: ["weight", "bias"])
      let halves = try site.openCLHalves(["x": .first, "add": .add])
      let (context, warps) = (try site.requireOpenCL(), try site.requireWarps(factors, halves))
      let geometry = try Convolution.geometry(site.invocation)
      let shape = CLConvolution.Shape(
        images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
        window: try geometry.openCLWindow())
      let end = try OpenCLEpilogue(site)
      let product = shape.product(hasBias: end.bias != nil)
      // Gathering is not copied ahead, and costs divisions.
      let share = shape.window.isPointwise ? 1 : 0.6
      let (efficiency, parts) = try warpEfficiency(product, factors, on: context.device)
      _ = try openCLChecked { try shape.counts() }
      let x = try site.slot("x")
      let weight = try OpenCLWeight(site, "weight", factors == .halves)
      return try weight.offer(site, efficiency: share * efficiency, parts: parts, of: product) { stored in
        let launch = try CLWarpProduct(
          context, warps, shape, of: factors, halves: halves, hasBias: end.bias != nil, hasAdd: end.add != nil,
          then: end.then, for: end.operation, parts: parts)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, a: stored ?? frame.inputs[weight.slot], b: frame.inputs[x],
            bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0],
            scratch: frame.scratch)
        }
      }
    }
  }

  /// The fraction of the device's arithmetic in single precision: tensor cores have at least twice that for halves with sums in single
  /// precision, on some devices sixteen times, and two fifths of the double are taken for sure. For single-precision numbers they have half
  /// of it, and numbers that lie across the product's depth are read one by one. And how many groups share the product's depth.
  private static func warpEfficiency(
    _ shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors, on device: OpenCLDevice
  ) throws -> (efficiency: Double, parts: Int) {
    try openCLChecked {
      _ = try shape.counts()
      let tile = try CLWarpTile(device, m: shape.m, n: shape.n, batches: shape.batches)
      let share = factors == .halves ? 0.8 : 0.5
      let parts = tile.parts(shape, on: device)
      let use = tile.use(device, m: shape.m, n: shape.n, batches: shape.batches, parts: parts)
      return (max(share * use, 1e-4), parts)
    }
  }
}

extension Site {
  /// How kernels of such use reach what a warp does together.
  func requireWarps(_ use: CLWarps.Uses) throws -> CLWarps {
    guard let warps = try requireOpenCL().features.warps(for: use) else {
      throw Refusal("the device has no kernels by warps for it")
    }
    return warps
  }

  /// The same of a product whose first factor is the first of `halves`, or is not.
  fileprivate func requireWarps(_ factors: CLWarpProduct.Factors, _ halves: CLHalves) throws -> CLWarps {
    guard halves.contains(.first) == (factors == .halves) else {
      throw Refusal("the values are not \(factors.rawValue)")
    }
    if factors == .floats, !allowsLowPrecision { throw Refusal("low precision is not allowed") }
    return try requireWarps(factors == .halves ? .products : .floats)
  }
}
