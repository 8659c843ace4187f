/// What a device's compiler takes beyond OpenCL C 1.2. What a GPU's driver states is not believed, either way: NVIDIA's compiles
/// half-precision arithmetic without saying so. Each feature is compiled, run, and its result looked at; on a CPU only when it is stated,
/// because compilers for those (PoCL's) write of their failures on standard error.
package struct OpenCLFeatures: Sendable, Hashable {
  /// Arithmetic on `half`, not only loads and stores of it.
  package let f16Arithmetic: Bool
  /// NVIDIA's inline assembly (`asm("...")` with PTX).
  package let inlinePTX: Bool
  /// Inline PTX for tensor cores: `mma.sync` on half-precision matrices with single-precision sums.
  package let tensorCores: Bool
  /// How kernels of `kernels/nvidia` reach what a warp does together: by PTX on NVIDIA's devices.
  private let warps: CLWarps?
  /// Those of them that computed small things exactly right. No rows of the others.
  let rightWarps: CLWarps.Uses
  /// What is the matter with kernels that the device should run and does not: it gets other rows.
  package let faults: [String]

  /// Whether products of halves run on tensor cores: their kernels were compiled, and what they computed was right.
  package var hasWarpProducts: Bool { warps(for: .products) != nil }
  /// The same of products of single-precision numbers that are rounded first, for who allows it.
  package var hasWarpFloats: Bool { warps(for: .floats) != nil }
  /// The same of products of a few rows with weights as they are stored.
  package var hasWarpStoredProducts: Bool { warps(for: .storedProducts) != nil }
  /// The same of attention.
  package var hasWarpAttention: Bool { warps(for: .attention) != nil }
  /// The same of convolutions whose images are halves.
  package var hasWarpConvolutions: Bool { warps(for: .patches) != nil }
  /// Both of single-precision numbers that are rounded first.
  package var hasWarpFloatAttention: Bool { warps(for: .floatAttention) != nil }
  package var hasWarpFloatConvolutions: Bool { warps(for: .floatPatches) != nil }

  /// Whether warp groups run: products of halves, of single-precision numbers, attention.
  package var hasGroupProducts: Bool { warps(for: .groupProducts) != nil }
  package var hasGroupFloats: Bool { warps(for: .groupFloats) != nil }
  package var hasGroupAttention: Bool { warps(for: .groupAttention) != nil }

  static let none = OpenCLFeatures(f16Arithmetic: false, inlinePTX: false, tensorCores: false)

  init(
    f16Arithmetic: Bool, inlinePTX: Bool, tensorCores: Bool, warps: CLWarps? = nil, rightWarps: CLWarps.Uses = .all,
    faults: [String] = []
  ) {
    self.faults = faults
    self.f16Arithmetic = f16Arithmetic
    self.inlinePTX = inlinePTX
    self.tensorCores = tensorCores
    self.warps = warps
    self.rightWarps = warps == nil ? [] : rightWarps
  }

  /// How kernels of such use reach what a warp does together; nil where they do not run.
  func warps(for use: CLWarps.Uses) -> CLWarps? { rightWarps.contains(use) ? warps : nil }

  init(probing context: OpenCLContext) {
    // Other compilers take any assembly at build time and may end the process when they meet it later.
    let isNVIDIA = context.device.vendorID == 0x10DE
    let mayHaveF16 = context.device.kind == .gpu || context.device.extensions.contains("cl_khr_fp16")
    let ptx = isNVIDIA && Self.probe("probe_ptx", context)
    let tensorCores = ptx && Self.probe("probe_mma", context)
    // Copies that overlap with work came with compute capability 8.0.
    let mayHaveWarps = tensorCores && context.device.computeCapability.map { $0 >= 80 } == true
    let right = mayHaveWarps ? CLWarps.ptx.rightUses(on: context) : ([], [])
    self.init(
      f16Arithmetic: mayHaveF16 && Self.probe("probe_half", context), inlinePTX: ptx, tensorCores: tensorCores,
      warps: mayHaveWarps ? .ptx : nil, rightWarps: right.0, faults: right.1)
  }

  /// Every probe has one kernel of its own name, run by 32 work-items: work-item i must write i + 1.
  private static func probe(_ name: String, _ context: OpenCLContext) -> Bool {
    do {
      let kernel = try context.kernel(name, of: .embedded(name))
      let queue = try context.makeQueue()
      let buffer = try context.makeBuffer(copying: [Float](repeating: 0, count: 32))
      try kernel.launch([.floats("y", 32)], global: [32], local: [min(32, kernel.maxWorkGroupSize)])
        .enqueue(on: queue, buffer.memory)
      try queue.finish()
      var result = [Float](repeating: 0, count: 32)
      try result.withUnsafeMutableBytes { try queue.read(buffer.memory, into: $0) }
      return result == (1...32).map { Float($0) }
    } catch {
      return false
    }
  }
}
