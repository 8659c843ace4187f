import MIL

extension CLAttention {
  /// Sizes of `group_attention.cl`: 64 queries for each warp group, and how many keys it looks at together, of which `stages` blocks are in local memory.
  struct GroupTile: Hashable {
    let sources: Int
    let stages: Int
    let depth: Int
    let width: Int

    static let queries = 64
    static let items = 128
    /// Queries and sums of more numbers do not fit a work-item's registers.
    private static let mostNumbers = 128

    /// Nil where a form has more numbers than registers hold.
    init?(_ form: AttentionShape) {
      guard form.depth <= Self.mostNumbers, form.width <= Self.mostNumbers else { return nil }
      (depth, width) = (form.depth, form.width)
      // Scores of more keys leave no registers for masks of each, nor for wide sums; few keys are over before they pay.
      let isNarrow = form.depth <= 64 && form.width <= 64
      sources = isNarrow && form.sources >= 512 && form.masks.count < 2 ? 128 : 64
      stages = isNarrow && sources == 64 ? 3 : 2
    }

    func tiles(_ length: Int) -> Int { (length + Self.queries - 1) / Self.queries }

    var definitions: [String: String] {
      ["GROUPS": "1", "SOURCES": "\(sources)", "STAGES": "\(stages)", "DEPTH": "\(depth)", "WIDTH": "\(width)"]
    }

    /// How long a form takes on a device that has such kernels, whose units hold two work-groups: some 15 ns a key.
    func seconds(_ form: AttentionShape, on device: OpenCLDevice) -> Double {
      let all = Double(tiles(form.length)) * Double(form.items)
      let turns = (all / Double(max(2 * device.computeUnits, 1))).rounded(.up)
      return turns * (1e-6 + 15e-9 * Double(form.sources))
    }
  }

  /// Why warp groups do not take a form; nil where they do.
  static func groupRefusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    if let reason = refusal(of: form, on: device) { return reason }
    // A group would have all keys of a few queries by itself.
    if fewRefusal(of: form, on: device) == nil { return "\(form.length) queries: groups share their keys" }
    // Largest scores are looked for before they are scaled.
    guard form.scale > 0 else { return "a scale of \(form.scale)" }
    return GroupTile(form) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// Attention of halves by warp groups. Shares are rounded to halves where the result is, or low precision is allowed.
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

  /// What is wrong with attention by warp groups, nil where it comes out right, as `fault` of warps.
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
