import MIL

extension CLAttention {
  /// Sizes of `warp_attention_floats.cl`: the warps of a work-group, of 16 queries each, how many warps share their
  /// queries, and the keys of a block.
  struct FloatTile: AttentionTile, Hashable {
    let warps: Int
    let split: Int
    let sources: Int
    let depth: Int
    let width: Int

    /// Number of warps of a work-group.
    private static let all = 4

    init?(warps: Int, depth: Int, width: Int, on device: OpenCLDevice) {
      guard depth <= Self.mostNumbers, width <= Self.mostNumbers, Self.all * 32 <= device.maxWorkGroupSize else {
        return nil
      }
      let split = Self.all / warps
      // One block of keys and one of values, in chunks of 16 bytes. The row stride is an odd number of chunks. The same
      // memory holds the partial results of warps that share queries.
      let chunks = (depth + 15) / 16 * 4 + (width + 15) / 16 * 4 + 2
      let exchange = ((width + 15) / 16 * 8 + 4) * (split - 1) * warps * 32 * 4
      let limit = Self.localBytes(on: device)
      // `CLWarps.plain` needs 32 bytes for each work-item.
      guard
        let sources = Self.allSources.first(where: {
          $0 % (8 * split) == 0 && max($0 * chunks * 16, exchange) + Self.all * 1024 <= limit
        })
      else { return nil }
      (self.warps, self.split, self.sources, self.depth, self.width) = (warps, split, sources, depth, width)
    }

    var items: Int { Self.all * 32 }

    var definitions: [String: String] {
      [
        "WARPS": "\(warps)", "SPLIT": "\(split)", "SOURCES": "\(sources)", "DEPTH": "\(depth)", "WIDTH": "\(width)",
      ]
    }

    /// The fraction of the device's fp32 arithmetic. Tensor cores have at least as much for rounded fp32 values.
    /// Exponentials run concurrently.
    func efficiency(_ form: AttentionShape) -> Double { 0.4 * use(form) }
  }

  /// Attention of fp32 values on a GPU's matrix units. Operands and softmax weights are rounded to 10 fraction bits
  /// (`warp_attention_floats.cl`). `tile` overrides the tile that the device and the shape suggest.
  init(
    floats warps: CLWarps, _ context: OpenCLContext, _ form: AttentionShape, f16: F16Operands = .none,
    tile: FloatTile? = nil
  ) throws {
    let reason = FloatTile.refusal(of: form, on: context.device)
    guard reason == nil, let tile = tile ?? FloatTile(form, on: context.device),
      f16.isDisjoint(with: [.first, .second, .third])
    else { throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")") }
    var own = tile.definitions
    if warps == .plain { own["ROLLED"] = "1" }
    try self.init(
      context, form, f16, warps.source("attention_form", "warp_scores", "warp_attention_floats", for: "attention"),
      own,
      global: [tile.tiles(form.length) * tile.items, min(form.items, 65_535)], local: [tile.items, 1])
  }

  /// The error of fp32 attention, nil if all results are right. It has the tests of `fault`, and warps that share
  /// queries over several blocks of keys.
  static func floatFault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    FloatTile.fault(
      on: context, .floats,
      [
        (4, 72, 130, 64, 64, false), (2, 33, 70, 24, 40, true), (1, 9, 150, 128, 13, false),
        (1, 20, 200, 64, 64, false),
      ], scale: 128
    ) { form, tile in
      try CLAttention(floats: warps, context, form, tile: tile)
    }
  }
}
