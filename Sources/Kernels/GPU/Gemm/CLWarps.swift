/// What stands for the functions of a warp in front of a kernel of `kernels/nvidia`.
enum CLWarps: String, Sendable, Hashable {
  /// NVIDIA's inline assembly.
  case ptx
  /// OpenCL C, on any device and slowly: tests show by it that kernels make the right use of what the functions promise.
  case plain

  /// What kernels of `kernels/nvidia` compute; each is tried by itself.
  struct Uses: OptionSet, Sendable, Hashable {
    let rawValue: Int

    static let products = Uses(rawValue: 1)
    /// Products of single-precision numbers that are rounded first.
    static let floats = Uses(rawValue: 2)
    static let attention = Uses(rawValue: 4)
    /// Convolutions by patches.
    static let patches = Uses(rawValue: 8)
    /// Both of single-precision numbers that are rounded first.
    static let floatPatches = Uses(rawValue: 128)
    static let floatAttention = Uses(rawValue: 256)
    /// Products of a few rows with weights as they are stored.
    static let storedProducts = Uses(rawValue: 512)
    static let all: Uses = [
      .products, .floats, .attention, .patches, .floatPatches, .floatAttention, .storedProducts,
    ]

    /// The same products and attention by warp groups (`group_ptx.cl`), which devices of compute capability 9.0 have.
    static let groupProducts = Uses(rawValue: 16)
    static let groupFloats = Uses(rawValue: 32)
    static let groupAttention = Uses(rawValue: 64)
    static let groups: Uses = [.groupProducts, .groupFloats, .groupAttention]
  }

  /// What compiles on a device and computes small things exactly right there, and what is the matter with the rest.
  func rightUses(on context: OpenCLContext) -> (uses: Uses, faults: [String]) {
    var found: [(use: Uses, name: String, fault: String?)] = [
      (.products, "products of halves", CLWarpProduct.fault(on: context, self, .f16)),
      (.floats, "products of single precision", CLWarpProduct.fault(on: context, self, .floats)),
      (.attention, "attention of halves", CLAttention.fault(on: context, self)),
      (.floatAttention, "attention of single precision", CLAttention.floatFault(on: context, self)),
      (.patches, "convolutions of halves", CLWarpConvolution.fault(on: context, self, .f16)),
      (.floatPatches, "convolutions of single precision", CLWarpConvolution.fault(on: context, self, .floats)),
      (.storedProducts, "products of stored weights", CLStoredProduct.fault(on: context, self)),
    ]
    if CLGroupTile.mayRun(on: context.device) {
      found += [
        (.groupProducts, "products of halves by groups", CLWarpProduct.groupFault(on: context, self, .f16)),
        (.groupFloats, "products of single precision by groups", CLWarpProduct.groupFault(on: context, self, .floats)),
        (.groupAttention, "attention by groups", CLAttention.groupFault(on: context, self)),
      ]
    }
    var uses: Uses = []
    for item in found where item.fault == nil { uses.insert(item.use) }
    return (uses, found.compactMap { item in item.fault.map { "\(item.name) by warps: \($0)" } })
  }

  /// Embedded sources, one behind the other, with these functions in front. Their kernels apply `then` to what they store.
  /// `isGroup` adds what a warp group does together.
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
