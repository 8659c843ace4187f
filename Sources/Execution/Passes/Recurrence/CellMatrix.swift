import CoreMLKernels
import MIL

/// A part of a constant matrix. `rows` are the outputs of a product with it.
struct CellMatrix {
  /// [outputs, inputs], or [inputs, outputs] if `isTransposed`.
  let weight: StoredWeight
  let isTransposed: Bool
  private(set) var rows: Range<Int>
  private(set) var columns: Range<Int>

  init(_ weight: StoredWeight, isTransposed: Bool) throws {
    guard weight.shape.count == 2, weight.type.scalar.isFloat else {
      throw LoopRefusal("a weight is not a matrix of numbers")
    }
    self.weight = weight
    self.isTransposed = isTransposed
    rows = 0..<weight.shape[isTransposed ? 1 : 0]
    columns = 0..<weight.shape[isTransposed ? 0 : 1]
  }

  /// A part of this part. Ranges are relative to it.
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

  /// Writes the part in row-major order to `target`, in the weight's type (fp32 or fp16). A transposed weight is
  /// decoded one line at a time.
  func copy(to target: UnsafeMutableRawPointer) {
    let size = weight.type.scalar.bitWidth / 8
    let width = weight.shape[1]
    guard isTransposed else {
      for (index, row) in rows.enumerated() {
        weight.copy(
          row * width + columns.lowerBound..<row * width + columns.upperBound, to: target + index * columns.count * size
        )
      }
      return
    }
    withUnsafeTemporaryAllocation(byteCount: max(rows.count * size, 1), alignment: 16) { line in
      guard let memory = line.baseAddress else { return }
      for (place, column) in columns.enumerated() {
        weight.copy(column * width + rows.lowerBound..<column * width + rows.upperBound, to: memory)
        for index in rows.indices {
          let number = index - rows.lowerBound
          (target + (number * columns.count + place) * size).copyMemory(from: memory + number * size, byteCount: size)
        }
      }
    }
  }

  /// Identifies the part among other parts of its weight.
  var key: [Int] { [rows.lowerBound, rows.upperBound, columns.lowerBound, columns.upperBound, isTransposed ? 1 : 0] }
}
