import MIL

extension CLAttention {
  /// Sizes of `warp_attention.cl`: how many warps a group has, of 16 queries each, and how many keys they look at together.
  struct WarpTile: Hashable {
    let warps: Int
    let sources: Int
    let depth: Int
    let width: Int

    /// Queries and sums of more numbers do not fit a work-item's registers.
    private static let mostNumbers = 128
    /// What a group may have on any device, and leaves room for a second group.
    private static let mostBytes = 40_960
    static let allWarps = [4, 2, 1]

    /// Nil where none fits.
    init?(warps: Int, depth: Int, width: Int, on device: OpenCLDevice) {
      guard depth <= Self.mostNumbers, width <= Self.mostNumbers, warps * 32 <= device.maxWorkGroupSize else {
        return nil
      }
      // Two stages of keys and of values, in chunks of 16 bytes whose rows are apart by an odd number.
      let chunks = (depth + 15) / 16 * 2 + (width + 15) / 16 * 2 + 2
      let limit = min(Self.mostBytes, device.localMemoryBytes / 8 * 7)
      // The plain functions of a warp need 32 bytes a work-item.
      guard let sources = [64, 32, 16].first(where: { 2 * $0 * chunks * 16 + warps * 1024 <= limit }) else {
        return nil
      }
      (self.warps, self.sources, self.depth, self.width) = (warps, sources, depth, width)
    }

    /// The most warps whose queries are mostly there and of whose groups there are enough for every unit; the fewest otherwise.
    init?(_ form: AttentionForm, on device: OpenCLDevice) {
      let possible = Self.allWarps.compactMap { WarpTile(warps: $0, depth: form.depth, width: form.width, on: device) }
      guard let smallest = possible.last else { return nil }
      self =
        possible.first { tile in
          form.length * 2 > tile.queries && tile.tiles(form.length) * min(form.items, 1 << 20) >= device.computeUnits
        } ?? smallest
    }

    var queries: Int { warps * 16 }
    var items: Int { warps * 32 }
    func tiles(_ length: Int) -> Int { (length + queries - 1) / queries }

    var definitions: [String: String] {
      ["WARPS": "\(warps)", "SOURCES": "\(sources)", "DEPTH": "\(depth)", "WIDTH": "\(width)"]
    }

    /// The fraction of the device's arithmetic in single precision. Tensor cores have at least twice that for halves with sums in single
    /// precision, of which products with shares in two parts take twice as many; exponentials run beside them.
    func efficiency(_ form: AttentionForm) -> Double {
      0.6 * Double(form.length) / Double(tiles(form.length) * queries)
    }
  }

  /// Attention of halves, by a GPU's units for matrices (`warp_attention.cl`). In low precision shares are rounded to halves. `tile` is the one
  /// to use instead of what the device and the form suggest.
  init(
    _ context: OpenCLContext, _ warps: CLWarps, _ form: AttentionForm, halves: CLHalves, isLowPrecision: Bool = false,
    tile: WarpTile? = nil
  ) throws {
    let reason = Self.warpRefusal(of: form, on: context.device)
    guard reason == nil, let tile = tile ?? WarpTile(form, on: context.device),
      halves.isSuperset(of: [.first, .second, .third])
    else { throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")") }
    var own = tile.definitions
    own["SHARE_PARTS"] = isLowPrecision ? "1" : "2"
    try self.init(
      context, form, halves, warps.source("attention_form", "warp_attention", for: "attention"), own,
      global: [tile.tiles(form.length) * tile.items, min(form.items, 65_535)], local: [tile.items, 1])
  }

  /// Why the kernel for warps does not take a form; nil where it does.
  static func warpRefusal(of form: AttentionForm, on device: OpenCLDevice) -> String? {
    if let reason = refusal(of: form, on: device) { return reason }
    guard form.length >= 8 else { return "\(form.length) queries: a warp has sixteen" }
    return WarpTile(form, on: device) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// What is wrong with attention, nil where it comes out right: of groups of all sizes, several blocks of keys and ragged ends, operands that lie in chunks and others,
  /// and masks. What does not even compile is not.
  ///
  /// Scores are so far apart that the largest alone has a share: the result is the value of the best key, or the mean of several, whose division
  /// devices round as they do.
  static func fault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    do {
      for (warpCount, length, sources, depth, width, isTransposed) in [
        (4, 72, 130, 64, 64, false), (2, 33, 40, 24, 40, true), (1, 9, 21, 128, 13, false),
      ] {
        guard let tile = WarpTile(warps: warpCount, depth: depth, width: width, on: context.device) else {
          return "work-groups are too small"
        }
        let check = AttentionCheck(
          length: length, sources: sources, depth: depth, width: width, isTransposed: isTransposed)
        let attention = try CLAttention(
          context, warps, check.form, halves: [.first, .second, .third], tile: tile)
        if let fault = try check.fault(of: attention, on: context) {
          return "\(fault) of \(length) x \(sources) x \(depth) x \(width) by \(warpCount) warps"
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}
