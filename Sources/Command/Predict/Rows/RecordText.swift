import CoreMLRuntime
import FeatureFiles
import Foundation
import MIL

/// The records of a text in order, read again when they are asked for.
///
/// Memory does not grow with the text: the places of some records are kept, and one stretch between two of them.
final class RecordText: @unchecked Sendable {  // what changes is behind the lock
  /// Some records that lie one behind the other.
  struct Stretch {
    /// The number of the first record.
    let first: Int
    let bytes: [UInt8]
    /// Where each record lies in `bytes`, and in which line of the text it begins.
    let records: [RecordScanner.Record]

    func contains(_ record: Int) -> Bool { record >= first && record < first + records.count }
    /// The bytes of a record.
    func record(_ number: Int) -> Range<Int> { records[number - first].range }
    func line(_ number: Int) -> Int { records[number - first].line }
  }

  private struct Mark {
    let record: Int
    let place: Int
    let line: Int
  }

  let path: String
  private let source: any ByteSource
  private let form: RecordScanner.Form
  private(set) var count = 0
  private var marks: [Mark] = []
  private let lock = NSLock()
  private var last: Stretch?

  /// Records, and bytes, after which a place is kept.
  private static let (recordsOfStretch, bytesOfStretch) = (512, 1 << 20)

  /// - Parameter path: what errors call the text.
  init(_ source: any ByteSource, _ path: String, _ form: RecordScanner.Form) throws {
    (self.source, self.path, self.form) = (source, path, form)
    try index()
  }

  /// Reads all of the text once.
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
      throw Failure(.data, "\(path), the record of line \(line): a quoted cell does not end")
    }
    if form != .lines, !text.isComplete { throw try notText(near: max(source.size - 1, 0)) }
  }

  private var changed: Failure { Failure(.data, "\(path): the file changed while it was read") }

  /// What to say of the first record at or after a place that is no text.
  private func notText(near place: Int) throws -> Failure {
    var number = max((marks.lastIndex { $0.place <= place } ?? 0) - 1, 0)
    while number < marks.count {
      // The records of the last place may not all be counted yet.
      let stretch = try read(number, count: nil)
      for record in stretch.records
      where String(validating: stretch.bytes[record.range], as: UTF8.self) == nil {
        return Failure(.data, "\(path), the record of line \(record.line): the text is not UTF-8")
      }
      number += 1
    }
    return Failure(.data, "\(path): the text is not UTF-8")
  }

  /// Adds the bytes of a record to a fingerprint.
  func append(_ record: Int, to fingerprint: inout Fingerprint) {
    guard let stretch = try? stretch(record) else { return fingerprint.append("absent") }
    stretch.bytes.withUnsafeBytes {
      var bytes = $0[stretch.record(record)]
      // Part of the line's end: the last line gets one once another follows it.
      if bytes.last == 0x0D { bytes = bytes.dropLast() }
      fingerprint.append(piece: UnsafeRawBufferPointer(rebasing: bytes))
    }
  }

  /// The stretch that holds a record.
  func stretch(_ record: Int) throws -> Stretch {
    if let last = lock.withLock({ last }), last.contains(record) { return last }
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].record <= record { low = middle } else { high = middle }
    }
    let next = low + 1 < marks.count ? marks[low + 1].record : count
    let stretch = try read(low, count: next - marks[low].record)
    lock.withLock { last = stretch }
    return stretch
  }

  /// - Parameter count: how many records there were; nil for as many as there are.
  private func read(_ number: Int, count: Int?) throws -> Stretch {
    let mark = marks[number]
    var end = number + 1 < marks.count ? marks[number + 1].place : source.size
    if count == nil { end = min(end, mark.place + 4 * Self.bytesOfStretch) }
    try MemoryBudget.current.admit(end - mark.place, of: 1, for: "\(path), rows from line \(mark.line) on")
    let bytes = try source.read(mark.place..<end)
    var records: [RecordScanner.Record] = []
    var scanner = RecordScanner(form, line: mark.line)
    bytes.withUnsafeBytes { scanner.scan($0) { records.append($0) } }
    guard scanner.end({ records.append($0) }) == nil || count == nil else { throw changed }
    guard count == nil || bytes.count == end - mark.place && records.count == count else { throw changed }
    return Stretch(first: mark.record, bytes: bytes, records: records)
  }
}

/// Checks pieces of a text for being UTF-8.
struct UTF8Check {
  /// Bytes of a character that go on in the next piece.
  private var open: [UInt8] = []

  var isComplete: Bool { open.isEmpty }

  mutating func pass(_ piece: UnsafeRawBufferPointer) -> Bool {
    if open.isEmpty, Self.isASCII(piece) { return true }
    var text = open + piece
    open = []
    // At most three bytes can be the beginning of a character.
    if let lead = text.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
      let length = text[lead] >= 0xF0 ? 4 : text[lead] >= 0xE0 ? 3 : 2
      if text.count - lead < length {
        open = Array(text[lead...])
        text.removeSubrange(lead...)
      }
    }
    return String(validating: text, as: UTF8.self) != nil
  }

  private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var (high, index) = (UInt64(0), 0)
    while index + 8 <= text.count {
      high |= text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < text.count {
      high |= UInt64(text[index])
      index += 1
    }
    return high & 0x8080_8080_8080_8080 == 0
  }
}
