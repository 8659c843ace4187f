import MIL

extension CLAttention {
  /// Sizes of `warp_attention_floats.cl`: a group's warps, of 16 queries each, how many of them share those, and how many keys they look at
  /// together.
  struct FloatTile: Hashable {
    let warps: Int
    let split: Int
    let sources: Int
    let depth: Int
    let width: Int

    /// Queries and sums of more numbers do not fit a work-item's registers.
    private static let mostNumbers = 128
    /// What a group may have on any device, and leaves room for a second group.
    private static let mostBytes = 40_960
    /// All of a group's warps.
    private static let all = 4
    static let allWarps = [4, 2, 1]

    /// Nil where none fits. Of so many warps each has queries of its own.
    init?(warps: Int, depth: Int, width: Int, on device: OpenCLDevice) {
      guard depth <= Self.mostNumbers, width <= Self.mostNumbers, Self.all * 32 <= device.maxWorkGroupSize else {
        return nil
      }
      let split = Self.all / warps
      // One block of keys and one of values, in chunks of 16 bytes whose rows are apart by an odd number; what warps of the same queries found.
      let chunks = (depth + 15) / 16 * 4 + (width + 15) / 16 * 4 + 2
      let exchange = ((width + 15) / 16 * 8 + 4) * (split - 1) * warps * 32 * 4
      let limit = min(Self.mostBytes, device.localMemoryBytes / 8 * 7)
      // The plain functions of a warp need 32 bytes a work-item.
      guard
        let sources = [64, 32, 16].first(where: {
          $0 % (8 * split) == 0 && max($0 * chunks * 16, exchange) + Self.all * 1024 <= limit
        })
      else { return nil }
      (self.warps, self.split, self.sources, self.depth, self.width) = (warps, split, sources, depth, width)
    }

    /// The most queries that are mostly there and of whose groups there are enough for every unit; the fewest otherwise.
    init?(_ form: AttentionForm, on device: OpenCLDevice) {
      let possible = Self.allWarps.compactMap { FloatTile(warps: $0, depth: form.depth, width: form.width, on: device) }
      guard let smallest = possible.last else { return nil }
      self =
        possible.first { tile in
          form.length * 2 > tile.queries && tile.tiles(form.length) * min(form.items, 1 << 20) >= device.computeUnits
        } ?? smallest
    }

    var queries: Int { warps * 16 }
    var items: Int { Self.all * 32 }
    func tiles(_ length: Int) -> Int { (length + queries - 1) / queries }

    var definitions: [String: String] {
      [
        "WARPS": "\(warps)", "SPLIT": "\(split)", "SOURCES": "\(sources)", "DEPTH": "\(depth)", "WIDTH": "\(width)",
      ]
    }

    /// The fraction of the device's arithmetic in single precision, of which tensor cores have as much for rounded numbers at least;
    /// exponentials run beside them.
    func efficiency(_ form: AttentionForm) -> Double {
      0.4 * Double(form.length) / Double(tiles(form.length) * queries)
    }
  }

  /// Attention of single-precision numbers that are rounded to ten bits behind the point, as shares are, by a GPU's units for matrices
  /// (`warp_attention_floats.cl`). `tile` is the one to use instead of what the device and the form suggest.
  init(
    floats warps: CLWarps, _ context: OpenCLContext, _ form: AttentionForm, halves: CLHalves = .none,
    tile: FloatTile? = nil
  ) throws {
    let reason = Self.floatRefusal(of: form, on: context.device)
    guard reason == nil, let tile = tile ?? FloatTile(form, on: context.device),
      halves.isDisjoint(with: [.first, .second, .third])
    else { throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")") }
    var own = tile.definitions
    if warps == .plain { own["ROLLED"] = "1" }
    try self.init(
      context, form, halves, warps.source("attention_form", "warp_attention_floats", for: "attention"), own,
      global: [tile.tiles(form.length) * tile.items, min(form.items, 65_535)], local: [tile.items, 1])
  }

  /// Why that kernel does not take a form; nil where it does.
  static func floatRefusal(of form: AttentionForm, on device: OpenCLDevice) -> String? {
    if let reason = refusal(of: form, on: device) { return reason }
    guard form.length >= 8 else { return "\(form.length) queries: a warp has sixteen" }
    return FloatTile(form, on: device) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// What is wrong with it, nil where it comes out right: the checks of `fault`, and warps that share queries of several blocks of keys.
  static func floatFault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    do {
      for (warpCount, length, sources, depth, width, isTransposed) in [
        (4, 72, 130, 64, 64, false), (2, 33, 70, 24, 40, true), (1, 9, 150, 128, 13, false),
        (1, 20, 200, 64, 64, false),
      ] {
        guard let tile = FloatTile(warps: warpCount, depth: depth, width: width, on: context.device) else {
          return "work-groups are too small"
        }
        let check = AttentionCheck(
          length: length, sources: sources, depth: depth, width: width, isTransposed: isTransposed, scale: 128)
        let attention = try CLAttention(floats: warps, context, check.form, tile: tile)
        if let fault = try check.fault(of: attention, .floats, on: context) {
          return "\(fault) of \(length) x \(sources) x \(depth) x \(width) by \(warpCount) warps"
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}
