import Glibc
import MIL

enum WarpProductKernels {
  /// Products on a GPU's matrix units: `linear`, `matmul` and convolutions. The factors are fp16, or, where low
  /// precision is allowed, fp32 values that are rounded on the fly. If a device has no matrix units, or a test product
  /// was wrong, all of these kernels refuse. Other kernels then compute the operation.
  static let warp: [KernelImplementation] = [
    warpLinear("linear.mma.f16", .f16), warpLinear("linear.mma.tf32", .floats),
    // A second factor that is known at run time, and one that is constant.
    warpMatmul("matmul.mma.f16", .f16, isStored: false),
    warpMatmul("matmul.mma.stored.f16", .f16, isStored: true),
    warpMatmul("matmul.mma.tf32", .floats, isStored: false),
    patchConvolution("conv.mma.patches.f16", .f16), patchConvolution("conv.mma.patches.tf32", .floats),
    warpConvolution("conv.mma.f16", .f16), warpConvolution("conv.mma.tf32", .floats),
  ]

  /// The same with warp groups, which read whole factors from local memory. They are faster than warps on devices that
  /// have them. They take only factors whose rows are multiples of 16 bytes.
  static let group: [KernelImplementation] = [
    warpLinear("linear.wgmma.f16", .f16, inGroups: true),
    warpLinear("linear.wgmma.tf32", .floats, inGroups: true),
    warpMatmul("matmul.wgmma.f16", .f16, isStored: false, inGroups: true),
    warpMatmul("matmul.wgmma.stored.f16", .f16, isStored: true, inGroups: true),
    warpMatmul("matmul.wgmma.tf32", .floats, isStored: false, inGroups: true),
    warpConvolution("conv.wgmma.f16", .f16, inGroups: true),
  ]

  /// Products with a smaller K whose second factor is laid out across K are refused: a known issue, whose cause is
  /// unknown (docs/internals/known-issues.md). `COREML_WARP_SHORT_K=on` in the environment lifts the limit, to repeat it.
  private static let leastK = getenv("COREML_WARP_SHORT_K").map { strcmp($0, "on") == 0 } ?? false ? 0 : 64

  /// Refuses products of a few rows with weights that are stored as fp16, which are bound by reading the weights. Tiles
  /// of few columns each would leave most of a device idle, and tiles of many rows would be mostly empty.
  private static func refuseFewRows(
    _ problem: KernelProblem, _ name: String, _ shape: CLMatrixProduct.Shape, _ f16: F16Operands
  ) throws {
    let context = try problem.requireOpenCL()
    let isByWarps = f16.contains(.first) && context.features.warps(for: .storedProducts) != nil
    let rows = shape.m * shape.batches
    guard rows <= (isByWarps ? CLStoredProduct.mostRows : OpenCLStoredKernels.fewRows), shape.transposeB,
      !shape.transposeA,
      let stored = try? problem.weight(name), F16Matrix.canHold(stored),
      CLStoredProduct.refusal(m: rows, n: shape.n, k: shape.k, on: context.device) == nil
    else { return }
    throw Refusal("a few rows: reading the weights is all there is to do")
  }

  /// Convolutions that load a part of the image into local memory once for all taps. Groups of few channels would
  /// mostly multiply zeros.
  private static func patchConvolution(_ name: String, _ factors: CLWarpProduct.Factors) -> KernelImplementation {
    KernelImplementation(name, for: ["conv", "fused.conv"], on: .openCL, mixesPrecisions: true) { problem in
      try problem.requireScalar(.float32, of: ["weight", "bias"])
      let f16 = try problem.openCLF16Operands(["x": .first, "add": .add])
      try problem.requireFactors(factors, f16)
      let context = try problem.requireOpenCL()
      let warps = try problem.requireWarps(factors == .f16 ? .patches : .floatPatches)
      let geometry = try Convolution.geometry(problem.invocation)
      let shape = CLConvolution.Shape(
        images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
        window: try geometry.openCLWindow())
      guard shape.inputsOfGroup >= 3 else {
        throw Refusal("\(shape.inputsOfGroup) channels a group")
      }
      let end = try OpenCLEpilogue(problem)
      let counts = try Refusal.onLaunchError { try shape.counts() }
      guard let tile = CLPatchTile(context.device, shape, of: factors) else {
        throw Refusal("no patch fits into local memory")
      }
      guard try Refusal.onLaunchError({ CLSizes(counts.x, try tile.packedCount(shape), counts.y).definition }) == "int"
      else {
        throw Refusal("the tensors are too large")
      }
      let parts = tile.parts(shape, on: context.device)
      let x = try problem.slot("x")
      let weight = try OpenCLWeight(problem, packing: "weight", as: factors)
      // fp32 values are multiplied half as fast.
      let share = factors == .f16 ? 1.6 : 0.8
      return try weight.packedCandidate(
        problem, efficiency: max(share * tile.use(shape, parts: parts, on: context.device), 1e-4), parts: parts,
        latency: 0.7e-6 * Double(tile.slices(shape)) / Double(parts), of: shape.product(hasBias: end.bias != nil)
      ) { stored, weights in
        let launch = try CLWarpConvolution(
          context, warps, shape, f16: f16, hasBias: end.bias != nil, hasAdd: end.add != nil, then: end.then,
          for: end.operation, tile: tile, parts: parts)
        let packed =
          factors == .f16
          ? try weights.f16(of: stored, launch.recipe, on: context) { try launch.packed($0) }
          : try weights.floats(of: stored, launch.recipe, on: context) { try launch.packed($0) }
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, x: frame.inputs[x], weights: packed, bias: end.bias.map { frame.inputs[$0] },
            add: end.add.map { frame.inputs[$0] }, y: frame.outputs[0], scratch: frame.scratch)
        }
      }
    }
  }

  private static func warpLinear(
    _ name: String, _ factors: CLWarpProduct.Factors, inGroups: Bool = false
  ) -> KernelImplementation {
    KernelImplementation(name, for: ["linear", "fused.linear"], on: .openCL, mixesPrecisions: true) { problem in
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
      try refuseFewRows(problem, "weight", shape, f16)
      return try warpProduct(
        problem, factors, shape, end, problem.slot("x"),
        OpenCLWeight(problem, "weight", factors == .f16, takesFloats: true),
        f16, inGroups)
    }
  }

  private static func warpMatmul(
    _ name: String, _ factors: CLWarpProduct.Factors, isStored: Bool, inGroups: Bool = false
  ) -> KernelImplementation {
    KernelImplementation(name, for: "matmul", on: .openCL, mixesPrecisions: true) { problem in
      let f16 = try problem.openCLF16Operands(["x": .first, "y": .second])
      guard isStored || f16.contains(.second) == (factors == .f16) else {
        throw Refusal("the second factor is not \(factors.rawValue)")
      }
      let shape = try OpenCLArithmeticKernels.matmulShape(problem)
      if isStored, try problem.sizes("y").count == 2 { try refuseFewRows(problem, "y", shape, f16) }
      return try warpProduct(
        problem, factors, shape, OpenCLEpilogue(problem), problem.slot("x"),
        OpenCLWeight(problem, "y", isStored, takesFloats: true), f16, inGroups)
    }
  }

  private static func warpProduct(
    _ problem: KernelProblem, _ factors: CLWarpProduct.Factors, _ shape: CLMatrixProduct.Shape, _ end: OpenCLEpilogue,
    _ a: Int,
    _ weight: OpenCLWeight, _ f16: F16Operands, _ inGroups: Bool
  ) throws -> Candidate {
    let (context, warps) = (try problem.requireOpenCL(), try problem.requireWarps(factors, f16, inGroups))
    let (efficiency, parts, latency, group) = try warpEfficiency(shape, factors, warps, inGroups, on: context.device)
    return try weight.candidate(problem, efficiency: efficiency, parts: parts, latency: latency, of: shape) { stored in
      let launch = try CLWarpProduct(
        context, warps, shape, of: factors, f16: f16, hasAdd: end.add != nil, then: end.then, for: end.operation,
        parts: parts, group: group)
      return .openCL { frame in
        try launch.enqueue(
          on: frame.queue, a: frame.inputs[a], b: stored ?? frame.inputs[weight.slot],
          bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0],
          scratch: frame.scratch)
      }
    }
  }

  private static func warpConvolution(
    _ name: String, _ factors: CLWarpProduct.Factors, inGroups: Bool = false
  ) -> KernelImplementation {
    KernelImplementation(name, for: ["conv", "fused.conv"], on: .openCL, mixesPrecisions: true) { problem in
      try problem.requireScalar(.float32, of: ["weight", "bias"])
      let f16 = try problem.openCLF16Operands(["x": .first, "add": .add])
      let (context, warps) = (try problem.requireOpenCL(), try problem.requireWarps(factors, f16, inGroups))
      let geometry = try Convolution.geometry(problem.invocation)
      let shape = CLConvolution.Shape(
        images: geometry.batch, inputs: geometry.inChannels, outputs: geometry.outChannels, groups: geometry.groups,
        window: try geometry.openCLWindow())
      let end = try OpenCLEpilogue(problem)
      let product = shape.product(hasBias: end.bias != nil)
      // Gathered factors are not prefetched, and gathering needs divisions.
      let share = shape.window.isPointwise ? 1 : 0.3
      if inGroups {
        guard shape.window.isPointwise else { throw Refusal("more than single pixels") }
        // The patch kernels have less fixed cost, which dominates such a convolution.
        guard shape.inputsOfGroup >= 256, shape.outputsOfGroup >= 128 else {
          throw Refusal("\(shape.inputsOfGroup) channels to \(shape.outputsOfGroup)")
        }
      }
      let (efficiency, parts, latency, group) = try warpEfficiency(
        product, factors, warps, inGroups, on: context.device)
      _ = try Refusal.onLaunchError { try shape.counts() }
      let x = try problem.slot("x")
      let weight = try OpenCLWeight(problem, "weight", factors == .f16, takesFloats: true)
      return try weight.candidate(
        problem, efficiency: share * efficiency, parts: parts,
        latency: shape.window.isPointwise ? latency : 3 * latency,
        of: product
      ) { stored in
        let launch = try CLWarpProduct(
          context, warps, shape, of: factors, f16: f16, hasBias: end.bias != nil, hasAdd: end.add != nil,
          then: end.then, for: end.operation, parts: parts, group: group)
        return .openCL { frame in
          try launch.enqueue(
            on: frame.queue, a: stored ?? frame.inputs[weight.slot], b: frame.inputs[x],
            bias: end.bias.map { frame.inputs[$0] }, add: end.add.map { frame.inputs[$0] }, c: frame.outputs[0],
            scratch: frame.scratch)
        }
      }
    }
  }

  /// The efficiency relative to the device's fp32 arithmetic, the number of K-splits, the latency of a work-group, and
  /// the tile of warp groups.
  ///
  /// Tensor cores exceed the fp32 rate: for fp16 with fp32 accumulators they reach at least twice the rate, on some
  /// devices 16 times. The estimate is 1.6, four fifths of twice the rate. For fp32 values they have half of that, and
  /// elements that are laid out across K are read one by one. Slices are prefetched, so each waits less than 0.5 µs on
  /// a large GPU.
  ///
  /// For warp groups only the time of their tiles is known, so it is returned as the latency.
  private static func warpEfficiency(
    _ shape: CLMatrixProduct.Shape, _ factors: CLWarpProduct.Factors, _ warps: CLWarps, _ inGroups: Bool,
    on device: OpenCLDevice
  ) throws -> (efficiency: Double, parts: Int, latency: Double, group: CLGroupTile?) {
    if inGroups {
      if let reason = CLGroupTile.refusal(of: shape, factors) { throw Refusal(reason) }
      _ = try Refusal.onLaunchError { try shape.counts() }
      let tile = CLGroupTile(units: device.computeUnits, shape, factors) { $0.runs(by: warps, on: device) }
      return (100, 1, tile.seconds(units: device.computeUnits, shape, factors), tile)
    }
    guard warps == .plain || shape.transposeB || shape.k >= leastK else {
      throw Refusal("an inner dimension of \(shape.k), less than \(leastK)")
    }
    return try Refusal.onLaunchError {
      _ = try shape.counts()
      let tile = try CLWarpTile(device, m: shape.m, n: shape.n, batches: shape.batches)
      let share = factors == .f16 ? 1.6 : 0.5
      let parts = tile.parts(shape, on: device)
      let use = tile.use(device, m: shape.m, n: shape.n, batches: shape.batches, parts: parts)
      let depth = tile.depth(of: factors)
      return (max(share * use, 1e-4), parts, 0.4e-6 * Double(shape.k) / Double(depth * parts), nil)
    }
  }
}

extension KernelProblem {
  /// How kernels for this use implement warp-level functions.
  func requireWarps(_ use: CLWarps.Uses) throws -> CLWarps {
    guard let warps = try requireOpenCL().features.warps(for: use) else {
      throw Refusal("the device has no kernels by warps for it")
    }
    return warps
  }

  /// The same for a product whose first factor is fp16 if `f16` says so.
  fileprivate func requireWarps(
    _ factors: CLWarpProduct.Factors, _ f16: F16Operands, _ inGroups: Bool
  ) throws -> CLWarps {
    try requireFactors(factors, f16)
    if inGroups { return try requireWarps(factors == .f16 ? .groupProducts : .groupFloats) }
    return try requireWarps(factors == .f16 ? .products : .floats)
  }

  /// Refuses if the first factor is not of this type, or may not be rounded to it.
  fileprivate func requireFactors(_ factors: CLWarpProduct.Factors, _ f16: F16Operands) throws {
    guard f16.contains(.first) == (factors == .f16) else {
      throw Refusal("the values are not \(factors.rawValue)")
    }
    if factors == .floats, !allowsLowPrecision { throw Refusal("low precision is not allowed") }
  }
}
