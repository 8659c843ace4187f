import Foundation

/// Finds the ends of the records in a text. A record is a line, or a table record (RFC 4180) with quoted cells that may
/// contain line ends.
///
/// The text is passed in pieces of any size. The scanner's state between pieces has constant size.
package struct RecordScanner {
  package enum Form: Equatable, Sendable {
    case lines
    /// Cells separated by a byte.
    case table(separator: UInt8)
  }

  /// A record that is not an empty line.
  package struct Record: Sendable {
    /// Its byte range in the text, without the line end.
    package let range: Range<Int>
    /// The number of its first line, starting at 1.
    package let line: Int
  }

  private let form: Form
  /// The number of bytes scanned.
  package private(set) var position: Int
  /// The current line.
  private var line: Int
  private var start: Int
  private var startLine: Int
  private var isBlank = true
  private var quotes = Quotes.none
  /// The byte before the next one. A line end at the start of a record.
  private var previous: UInt8 = 0x0A

  private enum Quotes { case none, inside, closing }

  /// Creates a scanner that starts at a position where a record begins.
  package init(_ form: Form, at position: Int = 0, line: Int = 1) {
    (self.form, self.position, self.line, start, startLine) = (form, position, line, position, line)
  }

  /// Scans the next piece, and passes the records that end in it to `each`.
  package mutating func scan(_ piece: UnsafeRawBufferPointer, _ each: (Record) throws -> Void) rethrows {
    guard let base = piece.baseAddress else { return }
    let offset = position
    var index = 0
    while index < piece.count {
      if quotes != .none {
        index = skipQuoted(piece, from: index)
        continue
      }
      let left = piece.count - index
      let end = memchr(base + index, 0x0A, left).map { UnsafeRawPointer($0) - base } ?? piece.count
      if case .table(let separator) = form, let quote = memchr(base + index, 0x22, end - index) {
        let place = UnsafeRawPointer(quote) - base
        let before = place == index ? previous : piece[place - 1]
        // A quote that is not at the start of a cell is an ordinary character.
        if before == separator || before == 0x0A { quotes = .inside }
        (previous, isBlank, index) = (0x22, false, place + 1)
        continue
      }
      look(UnsafeRawBufferPointer(rebasing: piece[index..<end]))
      index = end
      if end < piece.count {
        try finish(at: offset + end, each)
        index += 1
        line += 1
        begin(at: offset + index)
      }
    }
    position = offset + piece.count
  }

  /// Passes the last record to `each` at the end of the text.
  ///
  /// - Returns: The first line of a record with an unterminated quoted cell; nil if there is none.
  package mutating func end(_ each: (Record) throws -> Void) rethrows -> Int? {
    if quotes == .inside { return startLine }
    if position > start { try finish(at: position, each) }
    return nil
  }

  private mutating func begin(at place: Int) {
    (start, startLine, isBlank, previous) = (place, line, true, 0x0A)
  }

  private func finish(at end: Int, _ each: (Record) throws -> Void) rethrows {
    if !isBlank { try each(Record(range: start..<end, line: startLine)) }
  }

  /// Updates the state for a stretch of unquoted text in a line.
  private mutating func look(_ text: UnsafeRawBufferPointer) {
    guard let last = text.last else { return }
    if isBlank {
      switch form {
      case .lines: isBlank = text.allSatisfy { $0 <= 0x20 }
      // A single carriage return belongs to the line end.
      case .table: isBlank = text.count == 1 && last == 0x0D && previous == 0x0A
      }
    }
    previous = last
  }

  /// The position after a quoted stretch, or the end of the piece.
  private mutating func skipQuoted(_ piece: UnsafeRawBufferPointer, from first: Int) -> Int {
    if quotes == .closing {
      // Two quotes inside quotes represent one.
      guard piece[first] == 0x22 else {
        quotes = .none
        return first
      }
      quotes = .inside
      return first + 1
    }
    var index = first
    while index < piece.count {
      let byte = piece[index]
      index += 1
      if byte == 0x0A { line += 1 }
      if byte == 0x22 {
        quotes = .closing
        break
      }
    }
    return index
  }
}
