/// The implementation of warp-level functions that is prepended to a kernel of `kernels/nvidia`.
enum CLWarps: String, Sendable, Hashable {
  /// NVIDIA's inline PTX.
  case ptx
  /// Slow, portable OpenCL C. Tests use it to check on any device that kernels use the functions as specified.
  case plain

  /// What kernels of `kernels/nvidia` compute. Each use is probed separately.
  struct Uses: OptionSet, Sendable, Hashable {
    let rawValue: Int

    static let products = Uses(rawValue: 1)
    /// Products of fp32 values that are rounded first.
    static let floats = Uses(rawValue: 2)
    static let attention = Uses(rawValue: 4)
    /// Convolutions by patches.
    static let patches = Uses(rawValue: 8)
    /// Both for fp32 values that are rounded first.
    static let floatPatches = Uses(rawValue: 128)
    static let floatAttention = Uses(rawValue: 256)
    /// Products of a few rows with weights as they are stored.
    static let storedProducts = Uses(rawValue: 512)
    static let all: Uses = [
      .products, .floats, .attention, .patches, .floatPatches, .floatAttention, .storedProducts,
    ]

    /// The same products and attention with warp groups (`group_ptx.cl`), which need compute capability 9.0.
    static let groupProducts = Uses(rawValue: 16)
    static let groupFloats = Uses(rawValue: 32)
    static let groupAttention = Uses(rawValue: 64)
    static let groups: Uses = [.groupProducts, .groupFloats, .groupAttention]
  }

  /// The uses that compile on a device and give exactly right results for small inputs, and the errors of the others.
  func rightUses(on context: OpenCLContext) -> (uses: Uses, faults: [String]) {
    var found: [(use: Uses, name: String, fault: String?)] = [
      (.products, "products of fp16", CLWarpProduct.fault(on: context, self, .f16)),
      (.floats, "products of fp32", CLWarpProduct.fault(on: context, self, .floats)),
      (.attention, "attention of fp16", CLAttention.fault(on: context, self)),
      (.floatAttention, "attention of fp32", CLAttention.floatFault(on: context, self)),
      (.patches, "convolutions of fp16", CLWarpConvolution.fault(on: context, self, .f16)),
      (.floatPatches, "convolutions of fp32", CLWarpConvolution.fault(on: context, self, .floats)),
      (.storedProducts, "products of stored weights", CLStoredProduct.fault(on: context, self)),
    ]
    if CLGroupTile.mayRun(on: context.device) {
      found += [
        (.groupProducts, "products of fp16 by groups", CLWarpProduct.groupFault(on: context, self, .f16)),
        (.groupFloats, "products of fp32 by groups", CLWarpProduct.groupFault(on: context, self, .floats)),
        (.groupAttention, "attention by groups", CLAttention.groupFault(on: context, self)),
      ]
    }
    var uses: Uses = []
    for item in found where item.fault == nil { uses.insert(item.use) }
    return (uses, found.compactMap { item in item.fault.map { "\(item.name) by warps: \($0)" } })
  }

  /// Concatenates embedded sources, with these functions first. Their kernels apply `then` to what they store.
  /// `isGroup` adds the functions of warp groups.
  func source(
    _ names: String..., then: CLFunction = .identity, isGroup: Bool = false, for operation: String
  ) throws(KernelError) -> OpenCLSource {
    var text = then == .identity ? "" : "#define THEN(x) \(then.call)\n"
    for name in ["warp_\(rawValue)"] + (isGroup ? ["group_\(rawValue)"] : []) + names {
      text += try OpenCLSource.body(name)
    }
    return .generated(text, for: operation)
  }
}
