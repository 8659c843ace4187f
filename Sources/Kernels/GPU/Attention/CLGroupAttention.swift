import MIL

extension CLAttention {
  /// Sizes of `group_attention.cl`: 64 queries for each warp group, the keys of a block, and the `stages` of blocks in
  /// local memory.
  struct GroupTile: Hashable {
    let sources: Int
    let stages: Int
    let depth: Int
    let width: Int

    static let queries = 64
    static let items = 128
    /// A work-item's registers do not hold queries and accumulators with more elements.
    private static let mostNumbers = 128

    /// Nil if the registers cannot hold the elements of the shape.
    init?(_ form: AttentionShape) {
      guard form.depth <= Self.mostNumbers, form.width <= Self.mostNumbers else { return nil }
      (depth, width) = (form.depth, form.width)
      // Blocks of 128 keys need registers that masks and wide accumulators would use. They pay only with many keys.
      let isNarrow = form.depth <= 64 && form.width <= 64
      sources = isNarrow && form.sources >= 512 && form.masks.count < 2 ? 128 : 64
      stages = isNarrow && sources == 64 ? 3 : 2
    }

    func tiles(_ length: Int) -> Int { (length + Self.queries - 1) / Self.queries }

    var definitions: [String: String] {
      ["GROUPS": "1", "SOURCES": "\(sources)", "STAGES": "\(stages)", "DEPTH": "\(depth)", "WIDTH": "\(width)"]
    }

    /// Estimated seconds on a device that supports these kernels and holds two work-groups on a compute unit: 15 ns for
    /// each key.
    func seconds(_ form: AttentionShape, on device: OpenCLDevice) -> Double {
      let all = Double(tiles(form.length)) * Double(form.items)
      let turns = (all / Double(max(2 * device.computeUnits, 1))).rounded(.up)
      return turns * (1e-6 + 15e-9 * Double(form.sources))
    }
  }

  /// The reason why warp groups do not support a shape. Nil if they do.
  static func groupRefusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    if let reason = refusal(of: form, on: device) { return reason }
    // One work-group would process all keys of a few queries alone.
    if fewRefusal(of: form, on: device) == nil { return "\(form.length) queries: groups share their keys" }
    // The kernel searches the maximum score before it scales the scores.
    guard form.scale > 0 else { return "a scale of \(form.scale)" }
    return GroupTile(form) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// fp16 attention by warp groups. Softmax weights are rounded to fp16 if the result is fp16 or low precision is
  /// allowed.
  init(
    groups warps: CLWarps, _ context: OpenCLContext, _ form: AttentionShape, f16: F16Operands,
    isLowPrecision: Bool = false
  ) throws {
    let reason = Self.groupRefusal(of: form, on: context.device)
    guard reason == nil, let tile = GroupTile(form), f16.isSuperset(of: [.first, .second, .third]) else {
      throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")")
    }
    var own = tile.definitions
    own["SHARE_PARTS"] = isLowPrecision || f16.contains(.result) ? "1" : "2"
    try self.init(
      context, form, f16, warps.source("attention_form", "group_attention", isGroup: true, for: "attention"), own,
      global: [tile.tiles(form.length) * GroupTile.items, min(form.items, 65_535)], local: [GroupTile.items, 1])
  }

  /// The error of warp-group attention, tested like the `fault` of warps. Nil if all results are right.
  static func groupFault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    do {
      for (length, sources, depth, width, isTransposed) in [
        (72, 130, 64, 64, false), (33, 40, 24, 40, true), (70, 600, 64, 48, false), (9, 21, 128, 13, false),
      ] {
        let check = AttentionCheck(
          length: length, sources: sources, depth: depth, width: width, isTransposed: isTransposed)
        let attention = try CLAttention(groups: warps, context, check.form, f16: [.first, .second, .third])
        if let fault = try check.fault(of: attention, on: context) {
          return "\(fault) of \(length) x \(depth), \(sources) x \(width)"
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}
