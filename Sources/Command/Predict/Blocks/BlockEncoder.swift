import CoreML
import CoreMLRuntime

/// Makes bytes of the outputs of a block's rows: those that a sink's `write(encoded:at:)` takes. Several threads share one.
protocol BlockEncoder {
  func append(_ block: RowBlock, slot: Int, to bytes: inout [UInt8]) throws
}

/// What became of a group of rows.
struct EncodedRows {
  /// The results of the rows, one behind the other.
  private(set) var bytes: [UInt8] = []
  /// By row, where its bytes end; nil for a row that is to be predicted by itself.
  private(set) var ends: [Int?] = []

  mutating func addSingle() { ends.append(nil) }

  /// Adds a row whole, or as one that is to be predicted by itself.
  mutating func add(_ encode: (inout [UInt8]) throws -> Void) {
    let before = bytes.count
    do {
      try encode(&bytes)
      ends.append(bytes.count)
    } catch {
      bytes.removeSubrange(before...)
      ends.append(nil)
    }
  }
}
