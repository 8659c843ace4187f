import MIL

/// How an attention by warps is divided: a group's warps, of 16 queries each, and what else the kernel's sizes follow from.
protocol AttentionTile {
  /// Warps of a group with queries of their own.
  var warps: Int { get }
  /// Nil where none fits.
  init?(warps: Int, depth: Int, width: Int, on device: OpenCLDevice)
}

extension AttentionTile {
  /// Best first where there is enough work.
  static var allWarps: [Int] { [4, 2, 1] }
  /// Queries and sums of more numbers do not fit a work-item's registers.
  static var mostNumbers: Int { 128 }
  /// Keys of a block.
  static var allSources: [Int] { [64, 32, 16] }

  /// Local memory of a group, on any device and so that a unit has room for a second one.
  static func localBytes(on device: OpenCLDevice) -> Int { min(40_960, device.localMemoryBytes / 8 * 7) }

  /// The most queries that are mostly there and of whose groups there are enough for every unit; the fewest otherwise.
  init?(_ form: AttentionShape, on device: OpenCLDevice) {
    let possible = Self.allWarps.compactMap { Self(warps: $0, depth: form.depth, width: form.width, on: device) }
    guard let smallest = possible.last else { return nil }
    self =
      possible.first { tile in
        form.length * 2 > tile.queries && tile.tiles(form.length) * min(form.items, 1 << 20) >= device.computeUnits
      } ?? smallest
  }

  var queries: Int { warps * 16 }

  func tiles(_ length: Int) -> Int { (length + queries - 1) / queries }

  /// How much of what groups compute is of queries that there are.
  func use(_ form: AttentionShape) -> Double { Double(form.length) / Double(tiles(form.length) * queries) }

  /// Why no tile takes a form; nil where one does.
  static func refusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    if let reason = CLAttention.refusal(of: form, on: device) { return reason }
    guard form.length >= 8 else { return "\(form.length) queries: a warp has sixteen" }
    return Self(form, on: device) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// What is wrong with attention, nil where it comes out right, for each of `sizes` as `make` makes it. What does not even compile is not.
  static func fault(
    on context: OpenCLContext, _ numbers: CLWarpProduct.Factors,
    _ sizes: [(warps: Int, length: Int, sources: Int, depth: Int, width: Int, isTransposed: Bool)], scale: Float,
    _ make: (AttentionShape, Self) throws -> CLAttention
  ) -> String? {
    do {
      for (warps, length, sources, depth, width, isTransposed) in sizes {
        guard let tile = Self(warps: warps, depth: depth, width: width, on: context.device) else {
          return "work-groups are too small"
        }
        let check = AttentionCheck(
          length: length, sources: sources, depth: depth, width: width, isTransposed: isTransposed, scale: scale)
        if let fault = try check.fault(of: make(check.form, tile), numbers, on: context) {
          return "\(fault) of \(length) x \(sources) x \(depth) x \(width) by \(warps) warps"
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}
