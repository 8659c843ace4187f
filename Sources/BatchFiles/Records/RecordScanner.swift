import Foundation

/// Finds where the records of a text end: lines, or records of a table (RFC 4180), whose quoted cells may hold line ends.
///
/// The text comes in pieces of any size; what the scanner knows between two pieces does not grow with them.
package struct RecordScanner {
  package enum Form: Equatable, Sendable {
    case lines
    /// Cells with a byte between.
    case table(separator: UInt8)
  }

  /// A record that is no empty line.
  package struct Record: Sendable {
    /// Bytes of the text, without the line's end.
    package let range: Range<Int>
    /// The line, from 1, that it begins in.
    package let line: Int
  }

  private let form: Form
  /// Bytes of the text that were scanned.
  package private(set) var position: Int
  /// The line that is scanned.
  private var line: Int
  private var start: Int
  private var startLine: Int
  private var isBlank = true
  private var quotes = Quotes.none
  /// The byte before the next one; a line's end at the start of a record.
  private var previous: UInt8 = 0x0A

  private enum Quotes { case none, inside, closing }

  /// A scanner of a text from a place on where a record begins.
  package init(_ form: Form, at position: Int = 0, line: Int = 1) {
    (self.form, self.position, self.line, start, startLine) = (form, position, line, position, line)
  }

  /// Scans the next piece, and hands out the records that end in it.
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
        // A quote elsewhere than at a cell's start is a character like any other.
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

  /// Hands out the record that the end of the text ends.
  ///
  /// - Returns: the line in which a quoted cell begins that does not end.
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

  /// Notes what a stretch of plain text says of its line.
  private mutating func look(_ text: UnsafeRawBufferPointer) {
    guard let last = text.last else { return }
    if isBlank {
      switch form {
      case .lines: isBlank = text.allSatisfy { $0 <= 0x20 }
      // A carriage return alone belongs to the line's end.
      case .table: isBlank = text.count == 1 && last == 0x0D && previous == 0x0A
      }
    }
    previous = last
  }

  /// The place behind a quoted stretch, as far as the piece goes.
  private mutating func skipQuoted(_ piece: UnsafeRawBufferPointer, from first: Int) -> Int {
    if quotes == .closing {
      // Two quotes within quotes are one.
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
