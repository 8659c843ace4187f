import MIL

/// How a warp attention is tiled: the warps of a work-group, of 16 queries each, and the sizes that depend on them.
protocol AttentionTile {
  /// Warps of a work-group with queries of their own.
  var warps: Int { get }
  /// Nil if no tile fits.
  init?(warps: Int, depth: Int, width: Int, on device: OpenCLDevice)
}

extension AttentionTile {
  /// Best first for large problems.
  static var allWarps: [Int] { [4, 2, 1] }
  /// A work-item's registers do not hold queries and accumulators with more elements.
  static var mostNumbers: Int { 128 }
  /// Keys of a block.
  static var allSources: [Int] { [64, 32, 16] }

  /// Local memory limit of a work-group. It is available on any device, and leaves space for a second work-group on a
  /// compute unit.
  static func localBytes(on device: OpenCLDevice) -> Int { min(40_960, device.localMemoryBytes / 8 * 7) }

  /// The tile with the most queries that is mostly full and gives every compute unit a work-group. Otherwise the one
  /// with the fewest queries.
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

  /// The share of the computed queries that exist.
  func use(_ form: AttentionShape) -> Double { Double(form.length) / Double(tiles(form.length) * queries) }

  /// The reason why no tile supports a shape. Nil if one does.
  static func refusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    if let reason = CLAttention.refusal(of: form, on: device) { return reason }
    guard form.length >= 8 else { return "\(form.length) queries: a warp has sixteen" }
    return Self(form, on: device) == nil ? "queries of \(form.depth) and values of \(form.width) numbers" : nil
  }

  /// The error of the attention that `make` creates, for each of `sizes`. Nil if all results are right. A compile error
  /// counts as an error.
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
