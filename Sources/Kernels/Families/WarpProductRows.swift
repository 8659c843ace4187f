import MIL

extension KernelTable {
  /// Products of halves on a GPU's units for matrices: `linear`, `matmul` and convolutions whose factors are halves as they stand. Where a
  /// device has no such units, or a product did not come out right there, all of them refuse and the rows for any device take the operation.
  static let warpProductRows: [Row] = [
    Row("linear.mma.halves", for: ["linear", "fused.linear"], on: .openCL, mixesHalves: true) { site in
      let warps = try site.requireWarps()
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
      return try warpProduct(site, warps, shape, end, site.slot("x"), OpenCLWeight(site, "weight", true), halves)
    },
    // A second factor that run time gives, and one that is a constant.
    warpMatmul("matmul.mma.halves", isStored: false), warpMatmul("matmul.mma.stored.halves", isStored: true),
    Row("conv.mma.halves", for: ["conv", "fused.conv"], on: .openCL, mixesHalves: true) { site in
      let warps = try site.requireWarps()
      try site.requireScalar(.float32, of: ["weight", "bias"])
      let halves = try site.openCLHalves(["x": .first, "add": .add])
      guard halves.contains(.first) else { throw Refusal("the images are not halves") }
      let context = try site.requireOpenCL()
      let geometry = try Convolution.geometry(site.invocation)
      let shape = CLConvolution.Shape(
        images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
        window: try geometry.openCLWindow())
      let end = try OpenCLEpilogue(site)
      let product = shape.product(hasBias: end.bias != nil)
      // Gathering is not copied ahead, and costs divisions.
      let share = shape.window.isPointwise ? 1 : 0.6
      let efficiency = try share * warpEfficiency(product, on: context.device)
      _ = try openCLChecked { try shape.counts() }
      let x = try site.slot("x")
      let weight = try OpenCLWeight(site, "weight", true)
      return try weight.offer(site, efficiency: efficiency) { stored in
        let launch = try CLWarpProduct(
          context, warps, shape, halves: halves, hasBias: end.bias != nil, hasAdd: end.add != nil, then: end.then,
          for: end.operation)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, a: stored ?? frame.inputs[weight.slot], b: frame.inputs[x],
            bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0])
        }
      }
    },
  ]

  private static func warpMatmul(_ name: String, isStored: Bool) -> Row {
    Row(name, for: "matmul", on: .openCL, mixesHalves: true) { site in
      let warps = try site.requireWarps()
      let halves = try site.openCLHalves(["x": .first, "y": .second])
      guard isStored || halves.contains(.second) else { throw Refusal("the second factor is not halves") }
      let shape = try openCLMatmulShape(site)
      return try warpProduct(
        site, warps, shape, OpenCLEpilogue(site), site.slot("x"), OpenCLWeight(site, "y", isStored), halves)
    }
  }

  private static func warpProduct(
    _ site: Site, _ warps: CLWarps, _ shape: CLMatrixProduct.Shape, _ end: OpenCLEpilogue, _ a: Int,
    _ weight: OpenCLWeight, _ halves: CLHalves
  ) throws -> Offer {
    guard halves.contains(.first) else { throw Refusal("the first factor is not halves") }
    let context = try site.requireOpenCL()
    return try weight.offer(site, efficiency: warpEfficiency(shape, on: context.device)) { stored in
      let launch = try CLWarpProduct(
        context, warps, shape, halves: halves, hasAdd: end.add != nil, then: end.then, for: end.operation)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, a: frame.inputs[a], b: stored ?? frame.inputs[weight.slot],
          bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0])
      }
    }
  }

  /// The fraction of the device's arithmetic in single precision: tensor cores have at least twice that for halves with sums in single
  /// precision, on some devices sixteen times, and two fifths of the double are taken for sure.
  private static func warpEfficiency(_ shape: CLMatrixProduct.Shape, on device: OpenCLDevice) throws -> Double {
    try openCLChecked {
      _ = try shape.counts()
      let tile = try CLWarpTile(device, m: shape.m, n: shape.n, batches: shape.batches)
      return max(0.8 * tile.use(device, m: shape.m, n: shape.n, batches: shape.batches), 1e-4)
    }
  }
}

extension Site {
  /// How kernels reach what a warp does together.
  fileprivate func requireWarps() throws -> CLWarps {
    guard let warps = try requireOpenCL().features.warps else { throw Refusal("the device has no products by warps") }
    return warps
  }
}
