import CoreML
import CoreMLRuntime

/// Encodes the outputs of a block's rows as bytes for the `write(encoded:at:)` of a sink. Several threads share one
/// encoder.
protocol BlockEncoder {
  func append(_ block: TabularBlock, slot: Int, to bytes: inout [UInt8]) throws
}

/// The outcome of a group of rows.
struct EncodedRows {
  /// The results of the rows, concatenated.
  private(set) var bytes: [UInt8] = []
  /// The end offset of each row's bytes; nil for a row that must be predicted alone.
  private(set) var ends: [Int?] = []

  /// Consecutive encoded rows.
  struct Run: Sequence {
    let places: Range<Int>
    fileprivate let bytes: [UInt8]
    fileprivate let start: Int
    fileprivate let ends: ArraySlice<Int?>

    /// The end offset of the last row's bytes.
    var end: Int { ends.last.flatMap { $0 } ?? start }

    /// Each row's index and bytes.
    func makeIterator() -> some IteratorProtocol<(place: Int, outputs: ArraySlice<UInt8>)> {
      var start = start
      return zip(places, ends).lazy.map { place, end in
        defer { start = end ?? start }
        return (place: place, outputs: bytes[start..<(end ?? start)])
      }.makeIterator()
    }
  }

  /// The leading encoded rows of `places`. `row` is the index of the first place in the group, and its bytes begin at
  /// `start`.
  func run(_ places: Range<Int>, row: Int, start: Int) -> Run {
    let last = ends[row...].prefix(places.count).firstIndex { $0 == nil } ?? Swift.min(ends.count, row + places.count)
    return Run(
      places: places.lowerBound..<(places.lowerBound + last - row), bytes: bytes, start: start, ends: ends[row..<last])
  }

  mutating func addSingle() { ends.append(nil) }

  /// Adds an encoded row. If `encode` throws, the row is marked to be predicted alone.
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
