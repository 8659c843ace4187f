import CKernels
import MIL

/// A constant matrix of 8-bit or 4-bit codes, with the lookup table, offsets and scales that decode them. The codes are
/// the file's own bytes; the kernel widens them in registers.
struct QuantizedMatrix: Sendable {
  private let codes: Tensor
  private let kind: ck_codes
  private let columns: Int
  private let grid: BlockWalk.Grid
  /// One table of 16 fp32 elements, or one for each entry of the grid.
  private let table: Tensor?
  private let hasTables: Bool
  private let scale: Tensor?
  private let offset: Tensor?
  private let rounds: Bool
  private let roundsNormally: Bool

  /// Nil for encodings that the kernel does not read.
  init?(_ weight: StoredWeight, columns: Int) {
    guard weight.type.scalar == .float32, columns > 0, weight.count % columns == 0 else { return nil }
    var form = weight.form
    var rounds = false
    while case .rounded(let inner) = form {
      rounds = rounds || !inner.isF16
      form = inner
    }
    self.columns = columns
    switch form {
    case .palette(let palette):
      guard let codes = palette.nibbles, let grid = palette.walk.grid(columns: columns) else { return nil }
      (self.codes, kind, self.grid, self.rounds) = (codes, CK_CODES_4BIT, grid, rounds)
      (table, hasTables) = (palette.tables, true)
      (scale, offset, roundsNormally) = (rounds ? Self.numbers(1, grid) : nil, nil, rounds)
    case .scaled(let blocks):
      guard blocks.isSingle, let grid = blocks.walk.grid(columns: columns) else { return nil }
      switch blocks.data {
      case .dense(let numbers):
        switch numbers.tensor.scalar {
        case .int8: kind = CK_CODES_I8
        case .uint8: kind = CK_CODES_U8
        case .int4, .uint4: kind = CK_CODES_4BIT
        default: return nil
        }
        codes = numbers.tensor
        table = kind == CK_CODES_4BIT ? Tensor(float32: numbers.values, shape: [16]) : nil
      case .palette(let palette):
        guard let nibbles = palette.nibbles, palette.tables.count == 16 else { return nil }
        (codes, kind, table) = (nibbles, CK_CODES_4BIT, palette.tables)
      default: return nil
      }
      (self.grid, self.rounds, hasTables, scale) = (grid, rounds, false, blocks.scale)
      (offset, roundsNormally) = (blocks.offset, blocks.roundsNormally)
    default: return nil
    }
    // Two codes share a byte, and SIMD vectors must not cross blocks.
    guard kind != CK_CODES_4BIT || columns % 2 == 0, grid.entries == 1 || grid.columns % 16 == 0,
      codes.count == weight.count, scale?.count ?? grid.count == grid.count, offset?.count ?? grid.count == grid.count,
      table?.count ?? 0 == (kind == CK_CODES_4BIT ? (hasTables ? 16 * grid.count : 16) : 0)
    else { return nil }
  }

  /// Whether a product of many rows decodes the matrix tile by tile (`ck_gemm_prepacked_product_quantized_f32`). A copy as
  /// fp16 would be twice as large as 8-bit codes, and is multiplied faster: only 4-bit codes are worth decoding each time.
  var isDecodedByTiles: Bool {
    kind == CK_CODES_4BIT && columns % 8 == 0 && Int(bitPattern: codes.storage.pointer) % 4 == 0
      && (!hasTables || grid.count == 1 || grid.rows % Blocks.size == 0)
  }

  /// How a device kernel decodes a code. It computes the integer cases instead of reading a table.
  enum Meaning: Int {
    case char = 1
    case uchar, int4, uint4, table
  }

  /// The matrix as device kernels take it.
  struct Parts {
    let codes: UnsafeRawBufferPointer
    let meaning: Meaning
    let grid: BlockWalk.Grid
    let hasTables: Bool
    let isScaled: Bool
    let rounds: Bool
    /// Scales of all entries, then offsets, if the matrix is scaled; then the tables.
    let numbers: [Float]

    /// Whether fp16 holds every decoded value exactly.
    var isExactInF16: Bool {
      rounds || !isScaled && numbers.allSatisfy { Float(Float16($0)) == $0 || $0.isNaN }
    }
  }

  /// Calls `body` with the parts. Their codes are the file's own bytes.
  func withParts<Result>(_ body: (Parts) throws -> Result) rethrows -> Result {
    func floats(_ tensor: Tensor?) -> [Float] {
      guard let tensor else { return [] }
      return Array(
        UnsafeBufferPointer(start: tensor.storage.pointer.assumingMemoryBound(to: Float.self), count: tensor.count))
    }
    let table = floats(table)
    let zeros = Array(repeating: Float(0), count: scale?.count ?? 0)
    let meaning: Meaning =
      switch kind {
      case CK_CODES_I8: .char
      case CK_CODES_U8: .uchar
      default:
        switch table {
        case (0..<16).map({ Float($0) }): .uint4
        case (0..<16).map({ Float($0 < 8 ? $0 : $0 - 16) }): .int4
        default: .table
        }
      }
    let bytes = UnsafeRawBufferPointer(
      start: codes.storage.pointer, count: kind == CK_CODES_4BIT ? codes.count / 2 : codes.count)
    return try withExtendedLifetime(self) {
      try body(
        Parts(
          codes: bytes, meaning: meaning, grid: grid, hasTables: hasTables, isScaled: scale != nil, rounds: rounds,
          numbers: floats(scale) + (offset == nil ? zeros : floats(offset)) + (meaning == .table ? table : [])))
    }
  }

  private static func numbers(_ value: Float, _ grid: BlockWalk.Grid) -> Tensor {
    Tensor(float32: Array(repeating: value, count: grid.count), shape: [grid.count])
  }

  /// Calls `body` with the C kernel's description of the matrix.
  @inline(__always)
  func with(_ body: (UnsafePointer<ck_quantized_matrix>) -> Void) {
    func floats(_ tensor: Tensor?) -> UnsafePointer<Float>? {
      tensor?.storage.pointer.assumingMemoryBound(to: Float.self)
    }
    var rows = ck_quantized_matrix(
      codes: codes.storage.pointer, kind: kind, ldw: columns, row_block: grid.rows, block: grid.columns,
      entries: grid.entries, table: floats(table), has_tables: hasTables, scale: floats(scale),
      offset: floats(offset), rounds: rounds, normal: roundsNormally)
    withExtendedLifetime(self) { body(&rows) }
  }
}

extension BlockWalk {
  /// The blocks of a matrix. The entries are stored row-major.
  struct Grid: Sendable {
    /// Adjacent rows and columns that share an entry.
    let rows: Int
    let columns: Int
    /// Entries in a row of the grid, and in the whole grid.
    let entries: Int
    let count: Int
  }

  /// The blocks when the elements are seen as rows of `columns`. Nil if they are not a grid of such rows.
  func grid(columns: Int) -> Grid? {
    let total = outer.reduce(span) { $0 * $1.size }
    guard columns > 0, total % columns == 0 else { return nil }
    let rows = total / columns
    if run % columns == 0 {
      guard outer.isEmpty else { return nil }
      return Grid(rows: run / columns, columns: columns, entries: 1, count: total / run)
    }
    guard columns % run == 0 else { return nil }
    let entries = columns / run
    if outer.isEmpty { return Grid(rows: 1, columns: run, entries: entries, count: total / run) }
    guard outer.count == 1, span == columns, outer[0].stride == entries, outer[0].size == rows else { return nil }
    return Grid(rows: outer[0].block, columns: run, entries: entries, count: rows / outer[0].block * entries)
  }
}
