import CoreML
import CoreMLRuntime

/// Makes bytes of the outputs of a block's rows: those that a sink's `write(encoded:at:)` takes. Several threads share one.
protocol BlockEncoder {
  func append(_ block: TabularBlock, slot: Int, to bytes: inout [UInt8]) throws
}

/// What became of a group of rows.
struct EncodedRows {
  /// The results of the rows, one behind the other.
  private(set) var bytes: [UInt8] = []
  /// By row, where its bytes end; nil for a row that is to be predicted by itself.
  private(set) var ends: [Int?] = []

  /// Encoded rows that follow each other.
  struct Run: Sequence {
    let places: Range<Int>
    fileprivate let bytes: [UInt8]
    fileprivate let start: Int
    fileprivate let ends: ArraySlice<Int?>

    /// Where the bytes of the last row end.
    var end: Int { ends.last.flatMap { $0 } ?? start }

    /// The place of each row, and its bytes.
    func makeIterator() -> some IteratorProtocol<(place: Int, outputs: ArraySlice<UInt8>)> {
      var start = start
      return zip(places, ends).lazy.map { place, end in
        defer { start = end ?? start }
        return (place: place, outputs: bytes[start..<(end ?? start)])
      }.makeIterator()
    }
  }

  /// The first of some places that are encoded; `row` is that of the first place, whose bytes begin at `start`.
  func run(_ places: Range<Int>, row: Int, start: Int) -> Run {
    let last = ends[row...].prefix(places.count).firstIndex { $0 == nil } ?? Swift.min(ends.count, row + places.count)
    return Run(
      places: places.lowerBound..<(places.lowerBound + last - row), bytes: bytes, start: start, ends: ends[row..<last])
  }

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
