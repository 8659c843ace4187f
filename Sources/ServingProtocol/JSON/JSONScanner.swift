import CNumbers
import CoreMLServingInterface

/// Reads JSON (RFC 8259) from memory, value by value, without building a tree.
///
/// Strict: no comments, no trailing commas, no bare NaN, valid UTF-8 in strings, at most `deepest` levels. An error names
/// the byte where the text is wrong.
// Not Sendable: the memory belongs to the caller.
package struct JSONScanner {
  package static let deepest = 32
  /// The most names of an object: each needs memory, to find it again.
  static let mostNames = 4096

  let text: UnsafeRawBufferPointer
  /// The start of the text; of an empty text, an address that nobody reads.
  let address: UnsafePointer<UInt8>
  package var position: Int
  private var depth = 0

  package init(_ text: UnsafeRawBufferPointer, at position: Int = 0) {
    (self.text, self.position) = (text, position)
    address = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.nothing.utf8Start
  }

  private static let nothing: StaticString = ""

  package var isAtEnd: Bool { position >= text.count }
  /// The bytes that are not read yet.
  package var remaining: Int { text.count - position }

  var end: UnsafePointer<UInt8> { address + text.count }

  func error(_ what: String) -> ServingError {
    ServingError(.invalidArgument, "The JSON is wrong at byte \(position): \(what).")
  }

  /// The next byte that is not whitespace, which stays unread; nil at the end.
  package mutating func peek() -> UInt8? {
    while position < text.count {
      switch text[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  package mutating func take(_ character: Character) -> Bool {
    guard peek() == character.asciiValue else { return false }
    position += 1
    return true
  }

  package mutating func expect(_ character: Character) throws(ServingError) {
    guard take(character) else { throw error("'\(character)' was expected") }
  }

  package mutating func expectEnd() throws(ServingError) {
    guard peek() == nil else { throw error("there is text after the value") }
  }

  /// Reads an object. `field` reads the value of the name that it gets. Names may not be repeated.
  package mutating func object(
    _ field: (String, inout JSONScanner) throws(ServingError) -> Void
  ) throws(ServingError) {
    try enter("{")
    defer { depth -= 1 }
    if take("}") { return }
    var names: Set<String> = []
    repeat {
      guard peek() == UInt8(ascii: "\"") else { throw error("a name was expected") }
      let name = try string()
      guard names.insert(name).inserted else { throw error("the name '\(name.prefix(64))' is there twice") }
      guard names.count <= Self.mostNames else { throw error("an object with more than \(Self.mostNames) names") }
      try expect(":")
      try field(name, &self)
    } while take(",")
    try expect("}")
  }

  /// Reads an array. `element` reads one value.
  package mutating func array(_ element: (inout JSONScanner) throws(ServingError) -> Void) throws(ServingError) {
    try enter("[")
    defer { depth -= 1 }
    if take("]") { return }
    repeat { try element(&self) } while take(",")
    try expect("]")
  }

  mutating func enter(_ bracket: Character) throws(ServingError) {
    try expect(bracket)
    depth += 1
    guard depth <= Self.deepest else { throw error("more than \(Self.deepest) levels") }
  }

  mutating func leave() { depth -= 1 }

  /// Takes a word such as `true` if it is next.
  mutating func word(_ word: StaticString) -> Bool {
    guard peek() != nil, text.count - position >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[position + index] != word.utf8Start[index] { return false }
    position += word.utf8CodeUnitCount
    return true
  }

  package mutating func bool() throws(ServingError) -> Bool {
    if word("true") { return true }
    if word("false") { return false }
    throw error("true or false was expected")
  }

  /// Reads an integer from 0, such as a size.
  package mutating func count() throws(ServingError) -> Int {
    _ = peek()
    let start = position
    guard case .integer(let value) = try number(), value >= 0 else {
      position = start
      throw error("an integer from 0 to 2^63 - 1 was expected")
    }
    return Int(value)
  }

  /// Skips one value of any kind.
  package mutating func skip() throws(ServingError) {
    switch peek() {
    case UInt8(ascii: "{"): try object { _, scanner throws(ServingError) in try scanner.skip() }
    case UInt8(ascii: "["): try skipArray()
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
    case UInt8(ascii: "n"): guard word("null") else { throw error("a value was expected") }
    default: _ = try number()
    }
  }

  private mutating func skipArray() throws(ServingError) {
    var numbers = [Double](repeating: 0, count: 256)
    try array { scanner throws(ServingError) in
      // A list of numbers is read in blocks; `skip` handles other elements.
      if let byte = scanner.peek(), byte == UInt8(ascii: "-") || (byte >= 0x30 && byte <= 0x39) {
        while true {
          let part = cnumbers_read_part(
            scanner.address + scanner.position, scanner.end, 0, numbers.count, &numbers)
          guard part.count > 0 else { break }
          scanner.position = part.next - scanner.address
          guard part.count == numbers.count, scanner.take(",") else { return }
        }
      }
      try scanner.skip()
    }
  }
}
