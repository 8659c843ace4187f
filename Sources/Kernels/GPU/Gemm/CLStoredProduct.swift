/// `C = then(A B + bias + add)` for a few rows of A and a constant B that is read as it is stored, `[n][k]`
/// (`stored.cl`).
struct CLStoredProduct: Sendable {
  /// B in device memory.
  struct Matrix: Sendable {
    let memory: OpenCLMemory
    let numbers: OpenCLMemory
    let definitions: [String: String]
    let rowBlock: Int
    let entries: Int
    let count: Int
    /// Whether fp16 holds its values exactly.
    let isExactInF16: Bool

    /// A matrix of fp16 elements.
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

  /// More rows are a tiled matrix product, which reads B less often.
  static let mostRows = 16
  /// Work-items of a work-group.
  private static let group = 128

  private let launch: OpenCLLaunch
  private let hasBias: Bool
  private let hasAdd: Bool

  /// The reason why the kernel does not take a product of these sizes. Nil if it does.
  static func refusal(m: Int, n: Int, k: Int, on device: OpenCLDevice) -> String? {
    if m > mostRows { return "\(m) rows: tiles read the weights less often" }
    if m == 0 || n == 0 || k == 0 { return "an empty tensor" }
    if k % 8 != 0 { return "rows of \(k) elements, not a multiple of 8" }
    return device.maxWorkGroupSize < group ? "the device's work-groups are too small" : nil
  }

  /// - Parameter warps: uses matrix units if given (`warp_stored.cl`). They take only fp16.
  init(
    _ context: OpenCLContext, _ matrix: Matrix, m: Int, n: Int, k: Int, f16: F16Operands = .none, hasBias: Bool = false,
    hasAdd: Bool = false, then: CLFunction = .identity, by warps: CLWarps? = nil, for operation: String = "linear"
  ) throws {
    if let reason = Self.refusal(m: m, n: n, k: k, on: context.device) {
      throw KernelError(.openCLLaunch, "\(operation): \(reason)")
    }
    if warps != nil, !matrix.isExactInF16 || !f16.contains(.first) {
      throw KernelError(.openCLLaunch, "\(operation): matrix units take fp16")
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

  /// Warps of a work-group, which split K.
  private static let warps = 8

  /// Blocks of 8 columns for each work-group. Few work-groups with many blocks would leave compute units idle.
  private static func blocks(_ device: OpenCLDevice, n: Int) -> Int {
    [4, 2].first { n / ($0 * 8) >= 2 * device.computeUnits } ?? 1
  }

  /// Least seconds of a work-group of warps, however many run concurrently. It waits for each of its loads.
  static func warpLatency(k: Int) -> Double { 0.3e-6 + 0.4e-6 * Double(k) / Double(warps * 32 * 4) }

  /// The rows of B that a work-item processes, and the work-items that share them. More rows keep more reads in flight,
  /// unless that leaves compute units idle. More work-items share a row until all units have work.
  private static func tile(_ device: OpenCLDevice, rows: Int, n: Int, k: Int) -> (rows: Int, lanes: Int, columns: Int) {
    var best = (rows: 1, lanes: 32, columns: group / 32)
    for (together, lanes) in [(4, 32), (2, 32), (1, 32), (1, 64), (1, 128)] where lanes == 32 || lanes * 8 <= k {
      // A work-item's registers hold its accumulators and what it reads.
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
    // Absent operands get the whole buffer of `a`. Its offset 0 passes the alignment check for fp32; `a` itself may
    // not.
    let none = a.buffer.memory
    try launch.enqueue(on: queue, a, bias ?? none, add ?? none, c)
  }
}
