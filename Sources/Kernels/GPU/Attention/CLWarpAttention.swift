import MIL

extension CLAttention {
  /// Sizes of `warp_attention.cl`: the warps of a work-group, of 16 queries each, and the keys of a block.
  struct WarpTile: AttentionTile, Hashable {
    let warps: Int
    let sources: Int
    let depth: Int
    let width: Int

    init?(warps: Int, depth: Int, width: Int, on device: OpenCLDevice) {
      guard depth <= Self.mostNumbers, width <= Self.mostNumbers, warps * 32 <= device.maxWorkGroupSize else {
        return nil
      }
      // Two stages of keys and of values, in chunks of 16 bytes. The row stride is an odd number of chunks.
      let chunks = (depth + 15) / 16 * 2 + (width + 15) / 16 * 2 + 2
      let limit = Self.localBytes(on: device)
      // `CLWarps.plain` needs 32 bytes for each work-item.
      guard let sources = Self.allSources.first(where: { 2 * $0 * chunks * 16 + warps * 1024 <= limit }) else {
        return nil
      }
      (self.warps, self.sources, self.depth, self.width) = (warps, sources, depth, width)
    }

    var items: Int { warps * 32 }

    var definitions: [String: String] {
      ["WARPS": "\(warps)", "SOURCES": "\(sources)", "DEPTH": "\(depth)", "WIDTH": "\(width)"]
    }

    /// The fraction of the device's fp32 arithmetic. Tensor cores have at least twice that for fp16 with fp32
    /// accumulators. Products with softmax weights in two parts take twice as many operations. Exponentials run
    /// concurrently.
    func efficiency(_ form: AttentionShape) -> Double { 0.6 * use(form) }
  }

  /// fp16 attention on a GPU's matrix units (`warp_attention.cl`). In low precision softmax weights are rounded to
  /// fp16. `tile` overrides the tile that the device and the shape suggest.
  init(
    _ context: OpenCLContext, _ warps: CLWarps, _ form: AttentionShape, f16: F16Operands, isLowPrecision: Bool = false,
    tile: WarpTile? = nil
  ) throws {
    let reason = WarpTile.refusal(of: form, on: context.device)
    guard reason == nil, let tile = tile ?? WarpTile(form, on: context.device),
      f16.isSuperset(of: [.first, .second, .third])
    else { throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")") }
    var own = tile.definitions
    own["SHARE_PARTS"] = isLowPrecision ? "1" : "2"
    try self.init(
      context, form, f16, warps.source("attention_form", "warp_scores", "warp_attention", for: "attention"), own,
      global: [tile.tiles(form.length) * tile.items, min(form.items, 65_535)], local: [tile.items, 1])
  }

  /// The error of attention, nil if all results are right. It tests work-groups of all sizes, several blocks of keys,
  /// partial tiles, operands with and without 16-byte chunks, and masks.
  ///
  /// The scores are so far apart that only the largest has a softmax weight. So the result is the value of the best
  /// key, or the mean of several. The rounding of that division may differ between devices.
  static func fault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    WarpTile.fault(
      on: context, .f16,
      [(4, 72, 130, 64, 64, false), (2, 33, 40, 24, 40, true), (1, 9, 21, 128, 13, false)], scale: 64
    ) { form, tile in
      try CLAttention(context, warps, form, f16: [.first, .second, .third], tile: tile)
    }
  }
}
