import MIL

extension CLAttention {
  /// Sizes of `attention_tile.cl`: the queries of a work-group, and the keys of a block.
  struct PlainTile {
    let queries: Int
    let sources: Int
    let depth: Int
    let width: Int

    /// Queries of a work-item, work-items that share them, and elements of a chunk.
    private static let (each, lanes, chunk) = (4, 8, 4)
    /// A work-item's registers do not hold more elements.
    private static let mostNumbers = 128

    /// The largest tile that fits in local memory and is mostly full. Nil if none is.
    init?(_ form: AttentionShape, on device: OpenCLDevice) {
      (depth, width) = (form.depth, form.width)
      guard depth <= Self.mostNumbers, width <= Self.mostNumbers else { return nil }
      let row = ((depth + 3) / 4 | 1) * Self.chunk
      let wide = (width + 31) / 32 * 32
      for (queries, sources) in [(64, 32), (32, 16)] where form.length * 2 > queries {
        let floats = queries * (row + (sources / 4 | 1) * Self.chunk + Self.lanes) + sources * max(row, wide)
        let items = queries / Self.each * Self.lanes
        // Some devices reserve a little local memory for themselves.
        guard floats * 4 <= device.localMemoryBytes / 8 * 7, items <= device.maxWorkGroupSize else { continue }
        (self.queries, self.sources) = (queries, sources)
        return
      }
      return nil
    }

    var items: Int { queries / Self.each * Self.lanes }

    func tiles(_ length: Int) -> Int { (length + queries - 1) / queries }

    var definitions: [String: String] {
      ["ROWS": "\(queries)", "SOURCES": "\(sources)", "DEPTH": "\(depth)", "WIDTH": "\(width)"]
    }

    /// The fraction of the device's arithmetic that the kernel reaches.
    func efficiency(_ form: AttentionShape) -> Double {
      0.3 * Double(form.length) / Double(tiles(form.length) * queries)
    }
  }

  /// The reason why the kernel for many queries does not support a shape. Nil if it does.
  static func tileRefusal(of form: AttentionShape, on device: OpenCLDevice) -> String? {
    if let reason = refusal(of: form, on: device) { return reason }
    guard PlainTile(form, on: device) == nil else { return nil }
    return "\(form.length) queries of \(form.depth) and values of \(form.width) numbers"
  }

  /// Attention of many queries. A work-item has several queries, and several scores of each (`attention_tile.cl`).
  init(tiles context: OpenCLContext, _ form: AttentionShape, f16: F16Operands) throws {
    let reason = Self.tileRefusal(of: form, on: context.device)
    guard reason == nil, let tile = PlainTile(form, on: context.device) else {
      throw KernelError(.openCLLaunch, "attention: \(reason ?? "there is no tile for it")")
    }
    let source = OpenCLSource.generated(
      try OpenCLSource.body("attention_form") + OpenCLSource.body("attention_tile"), for: "attention")
    try self.init(
      context, form, f16, source, tile.definitions,
      global: [tile.tiles(form.length) * tile.items, min(form.items, 65_535)], local: [tile.items, 1])
  }
}
