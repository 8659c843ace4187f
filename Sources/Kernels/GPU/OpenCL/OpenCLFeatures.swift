/// What a device's compiler supports beyond OpenCL C 1.2. The extensions that a GPU driver reports are not reliable:
/// NVIDIA's driver compiles fp16 arithmetic without reporting it. So each feature is compiled and run, and its result
/// is checked. On a CPU this happens only for reported features, because CPU compilers (PoCL) write errors to standard
/// error.
package struct OpenCLFeatures: Sendable, Hashable {
  /// fp16 arithmetic, not only loads and stores of `half`.
  package let f16Arithmetic: Bool
  /// NVIDIA's inline assembly (`asm("...")` with PTX).
  package let inlinePTX: Bool
  /// Inline PTX for tensor cores: `mma.sync` on fp16 matrices with fp32 accumulators.
  package let tensorCores: Bool
  /// How kernels of `kernels/nvidia` implement warp-level functions: with PTX on NVIDIA's devices.
  private let warps: CLWarps?
  /// The uses whose test results were exactly right. Kernels for other uses refuse.
  let rightWarps: CLWarps.Uses
  /// Errors of kernels that the device should support but does not. The planner picks other kernels.
  package let faults: [String]

  /// Whether fp16 products run on tensor cores: their kernels compiled, and the test results were right.
  package var hasWarpProducts: Bool { warps(for: .products) != nil }
  /// The same for fp32 products with rounded factors, for callers that allow low precision.
  package var hasWarpFloats: Bool { warps(for: .floats) != nil }
  /// The same for products of a few rows with weights as they are stored.
  package var hasWarpStoredProducts: Bool { warps(for: .storedProducts) != nil }
  /// The same for attention.
  package var hasWarpAttention: Bool { warps(for: .attention) != nil }
  /// The same for convolutions of fp16 images.
  package var hasWarpConvolutions: Bool { warps(for: .patches) != nil }
  /// Both for fp32 values that are rounded first.
  package var hasWarpFloatAttention: Bool { warps(for: .floatAttention) != nil }
  package var hasWarpFloatConvolutions: Bool { warps(for: .floatPatches) != nil }

  /// Whether warp-group kernels run: fp16 products, fp32 products, attention.
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

  /// How kernels for this use implement warp-level functions. Nil if they do not run.
  func warps(for use: CLWarps.Uses) -> CLWarps? { rightWarps.contains(use) ? warps : nil }

  init(probing context: OpenCLContext) {
    // Other compilers accept any assembly at build time and may abort the process when they process it later.
    let isNVIDIA = context.device.vendorID == 0x10DE
    let mayHaveF16 = context.device.kind == .gpu || context.device.extensions.contains("cl_khr_fp16")
    let ptx = isNVIDIA && Self.probe("probe_ptx", context)
    let tensorCores = ptx && Self.probe("probe_mma", context)
    // Asynchronous copies need compute capability 8.0.
    let mayHaveWarps = tensorCores && context.device.computeCapability.map { $0 >= 80 } == true
    let right = mayHaveWarps ? CLWarps.ptx.rightUses(on: context) : ([], [])
    self.init(
      f16Arithmetic: mayHaveF16 && Self.probe("probe_half", context), inlinePTX: ptx, tensorCores: tensorCores,
      warps: mayHaveWarps ? .ptx : nil, rightWarps: right.0, faults: right.1)
  }

  private static func probe(_ name: String, _ context: OpenCLContext) -> Bool {
    do {
      try OpenCLProbe.run(name, on: context)
      return true
    } catch {
      return false
    }
  }
}
