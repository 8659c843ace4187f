import MIL

/// Rows and columns of a constant matrix; `rows` are the outputs of a product with it.
struct CellMatrix {
  /// [outputs, inputs], or the other way around when `isTransposed`.
  let tensor: Tensor
  let isTransposed: Bool
  private(set) var rows: Range<Int>
  private(set) var columns: Range<Int>

  init(_ tensor: Tensor, isTransposed: Bool) throws {
    guard tensor.rank == 2, tensor.scalar.isFloat else { throw LoopRefusal("a weight is not a matrix of numbers") }
    self.tensor = tensor
    self.isTransposed = isTransposed
    rows = 0..<tensor.shape[isTransposed ? 1 : 0]
    columns = 0..<tensor.shape[isTransposed ? 0 : 1]
  }

  /// A part, counted from where this one begins.
  func part(rows: Range<Int>? = nil, columns: Range<Int>? = nil) -> CellMatrix {
    var result = self
    if let rows {
      result.rows = self.rows.lowerBound + rows.lowerBound..<self.rows.lowerBound + rows.upperBound
    }
    if let columns {
      result.columns = self.columns.lowerBound + columns.lowerBound..<self.columns.lowerBound + columns.upperBound
    }
    return result
  }

  /// Writes the part row by row to `target`, elements of `tensor.scalar`.
  func copy(to target: UnsafeMutableRawPointer) {
    let size = tensor.scalar.byteCount(for: 1) ?? 0
    let width = tensor.shape[1]
    tensor.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      for (index, row) in rows.enumerated() {
        let line = target + index * columns.count * size
        guard isTransposed else {
          line.copyMemory(from: source + (row * width + columns.lowerBound) * size, byteCount: columns.count * size)
          continue
        }
        for (place, column) in columns.enumerated() {
          (line + place * size).copyMemory(from: source + (column * width + row) * size, byteCount: size)
        }
      }
    }
  }
}
