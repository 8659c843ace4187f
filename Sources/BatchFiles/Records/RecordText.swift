import CoreMLBase
import FeatureFiles
import Foundation
import MIL

/// The records of a text in order, read again from the source on access.
///
/// The text is not kept in memory: only the positions of some records, and a few of the stretches between two
/// positions.
package final class RecordText: @unchecked Sendable {  // mutable state is behind the lock
  /// A number of consecutive records.
  package struct Stretch {
    /// The number of the first record.
    package let first: Int
    package let bytes: [UInt8]
    /// The position of each record in `bytes`, and its first line in the text.
    package let records: [RecordScanner.Record]
    /// Counts `bytes` in the memory budget as long as the stretch exists.
    fileprivate let reservation: MemoryReservation

    package func contains(_ record: Int) -> Bool { record >= first && record < first + records.count }
    /// The byte range of a record.
    package func record(_ number: Int) -> Range<Int> { records[number - first].range }
    package func line(_ number: Int) -> Int { records[number - first].line }
  }

  private struct Mark {
    let record: Int
    let place: Int
    let line: Int
  }

  package let path: String
  private let source: any ByteSource
  private let form: RecordScanner.Form
  package private(set) var count = 0
  private var marks: [Mark] = []
  private let lock = NSLock()
  /// The most recently read stretches, oldest first.
  private var kept: [Stretch] = []
  /// The number of stretches to keep.
  package var keptStretches = 1

  /// The number of records, and of bytes, after which a position is kept.
  private static let (recordsOfStretch, bytesOfStretch) = (512, 1 << 20)

  /// - Parameter path: The name of the text in errors.
  package init(_ source: any ByteSource, _ path: String, _ form: RecordScanner.Form) throws {
    (self.source, self.path, self.form) = (source, path, form)
    try index()
  }

  /// Scans the whole text once.
  private func index() throws {
    var start = 0
    if try source.read(0..<min(3, source.size)) == [0xEF, 0xBB, 0xBF] { start = 3 }
    var scanner = RecordScanner(form, at: start)
    var text = UTF8Check()
    var point = CancellationPoint()
    func add(_ record: RecordScanner.Record) {
      let isFar = marks.last.map {
        count - $0.record >= Self.recordsOfStretch || record.range.lowerBound - $0.place >= Self.bytesOfStretch
      }
      if isFar ?? true { marks.append(Mark(record: count, place: record.range.lowerBound, line: record.line)) }
      count += 1
    }
    while scanner.position < source.size {
      try point.pass()
      let piece = try source.read(scanner.position..<min(scanner.position + Self.bytesOfStretch, source.size))
      guard !piece.isEmpty else { throw changed }
      try piece.withUnsafeBytes { bytes in
        let place = scanner.position
        scanner.scan(bytes, add)
        guard form == .lines || text.pass(bytes) else { throw try notText(near: place) }
      }
    }
    if let line = scanner.end(add) {
      throw FeatureFileError(.invalid, "\(path), the record of line \(line): a quoted cell does not end")
    }
    if form != .lines, !text.isComplete { throw try notText(near: max(source.size - 1, 0)) }
  }

  private var changed: FeatureFileError { FeatureFileError(.invalid, "\(path): the file changed while it was read") }

  /// The error for the first record at or after a position with invalid UTF-8.
  private func notText(near place: Int) throws -> FeatureFileError {
    var number = max((marks.lastIndex { $0.place <= place } ?? 0) - 1, 0)
    while number < marks.count {
      // The records after the last position may not have been counted yet.
      let stretch = try read(number, count: nil)
      for record in stretch.records
      where String(validating: stretch.bytes[record.range], as: UTF8.self) == nil {
        return FeatureFileError(.invalid, "\(path), the record of line \(record.line): the text is not UTF-8")
      }
      number += 1
    }
    return FeatureFileError(.invalid, "\(path): the text is not UTF-8")
  }

  /// The stretch that contains a record.
  package func stretch(_ record: Int) throws -> Stretch {
    if let known = lock.withLock({ kept.last { $0.contains(record) } }) { return known }
    let number = number(ofStretch: record)
    let stretch = try read(number, count: end(ofStretch: number) - marks[number].record)
    lock.withLock {
      if kept.count >= max(keptStretches, 1) { kept.removeFirst() }
      kept.append(stretch)
    }
    return stretch
  }

  /// The number of the first record after the stretch that contains a record.
  package func endOfStretch(_ record: Int) -> Int { end(ofStretch: number(ofStretch: record)) }

  private func end(ofStretch number: Int) -> Int { number + 1 < marks.count ? marks[number + 1].record : count }

  /// The number of the stretch that contains a record.
  private func number(ofStretch record: Int) -> Int {
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].record <= record { low = middle } else { high = middle }
    }
    return low
  }

  /// - Parameter count: The expected number of records; nil for any.
  private func read(_ number: Int, count: Int?) throws -> Stretch {
    let mark = marks[number]
    var end = number + 1 < marks.count ? marks[number + 1].place : source.size
    if count == nil { end = min(end, mark.place + 4 * Self.bytesOfStretch) }
    let reservation = try MemoryReservation(end - mark.place, for: "\(path), rows from line \(mark.line) on")
    let bytes = try source.read(mark.place..<end)
    var records: [RecordScanner.Record] = []
    var scanner = RecordScanner(form, line: mark.line)
    bytes.withUnsafeBytes { scanner.scan($0) { records.append($0) } }
    guard scanner.end({ records.append($0) }) == nil || count == nil else { throw changed }
    guard count == nil || bytes.count == end - mark.place && records.count == count else { throw changed }
    return Stretch(first: mark.record, bytes: bytes, records: records, reservation: reservation)
  }
}
