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
        let check = Check(length: length, sources: sources, depth: depth, width: width, isTransposed: isTransposed)
        let attention = try CLAttention(
          context, warps, check.form, halves: [.first, .second, .third], tile: tile)
        let queue = try context.makeQueue()
        let memory = try [check.query, check.key, check.value].map { numbers in
          try context.makeBuffer(copying: numbers.map { Float16($0) }).memory
        }
        let mask = try context.makeBuffer(copying: check.mask).memory
        let y = try context.makeBuffer(copying: [Float](repeating: .nan, count: 2 * length * width)).memory
        try attention.enqueue(on: queue, query: memory[0], key: memory[1], value: memory[2], first: mask, y: y)
        try queue.finish()
        var found = [Float](repeating: 0, count: 2 * length * width)
        try found.withUnsafeMutableBytes { try queue.read(y, into: $0) }
        if let place = found.indices.first(where: { !check.isRight(found[$0], at: $0) }) {
          return "\(found[place]) at \(place) of \(length) x \(sources) x \(depth) x \(width) by \(warpCount) warps, "
            + "not \(check.expected[place])"
        }
      }
      return nil
    } catch { return "\(error)" }
  }
}

/// Attention of two items whose results are known.
private struct Check {
  let form: AttentionForm
  let query: [Float]
  let key: [Float]
  let value: [Float]
  let mask: [UInt8]
  let expected: [Float]

  /// Whether a result is the one that is expected, or one of its neighbours.
  func isRight(_ found: Float, at place: Int) -> Bool { abs(found - expected[place]) <= 2 * expected[place].ulp }

  init(length: Int, sources: Int, depth: Int, width: Int, isTransposed: Bool) {
    func view(_ rows: Int, _ columns: Int) -> StridedMatrices {
      StridedMatrices(
        rowStep: isTransposed ? 1 : columns, columnStep: isTransposed ? rows : 1,
        batch: [StridedMatrices.Axis(2, rows * columns)])
    }
    func numbers(_ rows: Int, _ columns: Int, _ seed: Int) -> [Float] {
      (0..<2 * rows * columns).map { Float(($0 * 37 + $0 / 11 * 5 + seed) % 7 - 3) }
    }
    let (queries, keys, values) = (view(length, depth), view(sources, depth), view(sources, width))
    let query = numbers(length, depth, 1)
    let key = numbers(sources, depth, 2)
    let value = numbers(sources, width, 3)
    // Every third key is hidden from a query, another one from the next.
    let mask = (0..<length * sources).map { ($0 / sources + $0 % sources) % 3 == 0 ? UInt8(0) : 1 }
    (self.query, self.key, self.value, self.mask) = (query, key, value, mask)
    form = AttentionForm(
      items: 2, length: length, depth: depth, width: width, scale: 64, query: queries,
      parts: [AttentionForm.Part(rows: sources, key: keys, value: values)],
      masks: [
        AttentionForm.Mask(
          .keep, fill: -.infinity,
          view: StridedMatrices(rowStep: sources, columnStep: 1, batch: [StridedMatrices.Axis(2, 0)]))
      ],
      output: StridedMatrices(rowStep: width, columnStep: 1, batch: [StridedMatrices.Axis(2, length * width)]),
      outputShape: [2, length, width])
    var results: [Float] = []
    for item in 0..<2 {
      func at(_ numbers: [Float], _ view: StridedMatrices, _ row: Int, _ column: Int) -> Float {
        numbers[item * view.batch[0].step + row * view.rowStep + column * view.columnStep]
      }
      for row in 0..<length {
        let scores = (0..<sources).map { source -> Float in
          guard mask[row * sources + source] != 0 else { return -.infinity }
          return (0..<depth).reduce(0) { $0 + at(query, queries, row, $1) * at(key, keys, source, $1) }
        }
        let best = scores.max() ?? 0
        let chosen = (0..<sources).filter { scores[$0] == best }
        for column in 0..<width {
          results.append(chosen.reduce(0) { $0 + at(value, values, $1, column) } / Float(chosen.count))
        }
      }
    }
    expected = results
  }
}
