/// `C = then(A B + bias + add)` of a few rows of A and a constant B that is read as it is stored, `[n][k]` (`stored.cl`).
struct CLStoredProduct: Sendable {
  /// B in the device's memory.
  struct Matrix: Sendable {
    let memory: OpenCLMemory
    let numbers: OpenCLMemory
    let definitions: [String: String]
    let rowBlock: Int
    let entries: Int
    let count: Int
    /// Whether halves hold its numbers as they are.
    let isExactInF16: Bool

    /// Halves.
    init(f16: OpenCLMemory) {
      (memory, numbers, rowBlock, entries, count, isExactInF16) = (f16, f16, 1, 0, 0, true)
      definitions = ["CODES": "0"]
    }

    init(_ parts: QuantizedMatrix.Parts, codes: OpenCLMemory, numbers: OpenCLMemory, columns: Int) {
      (memory, self.numbers) = (codes, numbers)
      (rowBlock, entries, count) = (parts.grid.rows, parts.grid.entries, parts.grid.count)
      isExactInF16 = parts.isExactInF16
      definitions = [
        "CODES": "\(parts.meaning.rawValue)", "SCALED": parts.isScaled ? "1" : "0", "ROUNDED": parts.rounds ? "1" : "0",
        "BLOCK": "\(parts.grid.entries == 1 ? columns : parts.grid.columns)",
        "OWN_TABLES": parts.hasTables && parts.meaning == .table ? "1" : "0",
      ]
    }
  }

  /// More rows are a matrix product by tiles, which read B less often.
  static let mostRows = 16
  /// Work-items of a group.
  private static let group = 128

  private let launch: OpenCLLaunch
  private let hasBias: Bool
  private let hasAdd: Bool

  /// Why the kernel does not take a product of such sizes; nil where it does.
  static func refusal(m: Int, n: Int, k: Int, on device: OpenCLDevice) -> String? {
    if m > mostRows { return "\(m) rows: tiles read the weights less often" }
    if m == 0 || n == 0 || k == 0 { return "an empty tensor" }
    if k % 8 != 0 { return "rows of \(k) numbers: they are read by eights" }
    return device.maxWorkGroupSize < group ? "the device's work-groups are too small" : nil
  }

  /// By units for matrices where `warps` are given, which take halves only (`warp_stored.cl`).
  init(
    _ context: OpenCLContext, _ matrix: Matrix, m: Int, n: Int, k: Int, f16: F16Operands = .none, hasBias: Bool = false,
    hasAdd: Bool = false, then: CLFunction = .identity, by warps: CLWarps? = nil, for operation: String = "linear"
  ) throws {
    if let reason = Self.refusal(m: m, n: n, k: k, on: context.device) {
      throw KernelError(.openCLLaunch, "\(operation): \(reason)")
    }
    if warps != nil, !matrix.isExactInF16 || !f16.contains(.first) {
      throw KernelError(.openCLLaunch, "\(operation): units for matrices take halves")
    }
    (self.hasBias, self.hasAdd) = (hasBias, hasAdd)
    let counts = (a: try CLSizes.count([m, k], operation), c: try CLSizes.count([m, n], operation))
    let index = CLSizes(counts.a, try CLSizes.count([n, k], operation), counts.c)
    var definitions = matrix.definitions.merging([
      "INDEX": index.definition, "BIAS": hasBias ? "1" : "0", "RESIDUAL": hasAdd ? "1" : "0",
      "HALF_A": f16.flag(.first), "HALF_ADD": f16.flag(.add), "HALF_Y": f16.flag(.result),
    ]) { $1 }
    let (source, global, items): (OpenCLSource, [Int], Int)
    if let warps {
      let blocks = Self.blocks(context.device, n: n)
      definitions["BLOCKS"] = "\(blocks)"
      definitions["WARPS"] = "\(Self.warps)"
      items = Self.warps * 32
      global = [(n + blocks * 8 - 1) / (blocks * 8) * items, 1]
      source = try warps.source("stored_form", "warp_stored", then: then, for: operation)
    } else {
      let rows = min(m, 8)
      let tile = Self.tile(context.device, rows: rows, n: n, k: k)
      definitions.merge([
        "GROUP": "\(Self.group)", "M": "\(rows)", "ROWS": "\(tile.rows)", "LANES": "\(tile.lanes)",
      ]) { $1 }
      items = Self.group
      global = [(n + tile.columns - 1) / tile.columns * items, (m + rows - 1) / rows]
      source = try then.ending("stored", front: "stored_form", for: operation)
    }
    launch = try context.kernel("product_stored", of: source, definitions).launch(
      [
        f16.numbers("a", counts.a, .first), .floats("bias", hasBias ? n : 0),
        f16.numbers("add", hasAdd ? counts.c : 0, .add), f16.numbers("c", counts.c, .result),
        .whole(matrix.memory.buffer), .whole(matrix.numbers.buffer),
        index.many([m, n, k, matrix.rowBlock, matrix.entries, matrix.count]),
      ], global: global, local: [items, 1])
  }

  /// Warps of a group, which share the depth.
  private static let warps = 8

  /// Blocks of eight columns of a group: few groups of many leave units without work.
  private static func blocks(_ device: OpenCLDevice, n: Int) -> Int {
    [4, 2].first { n / ($0 * 8) >= 2 * device.computeUnits } ?? 1
  }

  /// Seconds that a group by warps takes, however many there are: it waits for what it fetches, over and over.
  static func warpLatency(k: Int) -> Double { 0.3e-6 + 0.4e-6 * Double(k) / Double(warps * 32 * 4) }

  /// Rows of B that a work-item takes together, and work-items that share them: many rows keep more reads under way, unless that leaves units
  /// without work; work-items share a row until all have some of it.
  private static func tile(_ device: OpenCLDevice, rows: Int, n: Int, k: Int) -> (rows: Int, lanes: Int, columns: Int) {
    var best = (rows: 1, lanes: 32, columns: group / 32)
    for (together, lanes) in [(4, 32), (2, 32), (1, 32), (1, 64), (1, 128)] where lanes == 32 || lanes * 8 <= k {
      // A work-item's registers hold its sums beside what it reads.
      guard together * rows <= 16 else { continue }
      best = (together, lanes, group / lanes * together)
      if n / best.columns >= 4 * max(device.computeUnits, 1) { break }
    }
    return best
  }

  func enqueue(
    on queue: OpenCLQueue, a: OpenCLMemory, bias: OpenCLMemory? = nil, add: OpenCLMemory? = nil, c: OpenCLMemory
  ) throws {
    guard (bias != nil) == hasBias, (add != nil) == hasAdd else {
      throw KernelError(.openCLLaunch, "linear: a bias or a tensor to add is missing, or given and not expected")
    }
    // What is not there is of any size: memory that begins anywhere may not be taken for floats.
    let none = a.buffer.memory
    try launch.enqueue(on: queue, a, bias ?? none, add ?? none, c)
  }
}
