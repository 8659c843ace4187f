import CNumbers
import CoreMLBase
import Foundation
import MIL

/// A JSON value (RFC 8259). Lists that contain only numbers have a compact representation, since large files mostly
/// consist of them. 64-bit integers are exact.
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits, or one with either of them that is an integer above 2^52.
  case integer(Int64)
  case number(Double)
  case string(String)
  case numbers([Double])
  /// A list of integers, with at least one item.
  case integers([Int64])
  case array([JSONValue])
  case object([String: JSONValue])

  /// The maximum memory per byte of text, reached for one-digit numbers.
  private static let expansion = 4

  /// Parses `text` (UTF-8). Errors have line and column. `NaN`, `Infinity` and `-Infinity` are accepted in Python's
  /// spelling. If the value could exceed the memory limit, the text is refused before it is parsed.
  /// - Parameter isWord: Whether the text is a cell of a table or a command-line argument. Numbers may then have
  ///   leading zeros and a trailing point.
  public init(_ text: UnsafeRawBufferPointer, isWord: Bool = false) throws {
    try MemoryBudget.current.admit(text.count, of: Self.expansion, for: "JSON of \(text.count) bytes")
    var parser = JSONParser(text, isWord: isWord)
    self = try parser.document()
  }

  /// Parses a file.
  public init(file path: String) throws {
    let data = try FileBytes.read(path)
    do {
      self = try data.withUnsafeBytes { try JSONValue($0) }
    } catch let error as FeatureFileError {
      throw FeatureFileError(error.code, "\(path): \(error.message)")
    }
  }

  /// The value as a number. The strings "NaN", "Infinity" and "-Infinity" count too.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    default: nil
    }
  }

  /// The value as a string.
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value as an exact integer.
  public var int64: Int64? {
    switch self {
    case .integer(let value): value
    // Larger integers are stored as `integer`. Any other large number may have lost its fraction.
    case .number(let value): abs(value) < 0x1p52 ? Int64(exactly: value) : nil
    default: nil
    }
  }

  /// The exact integer value of an `NSNumber`.
  static func exactly(_ number: NSNumber) -> Int64? {
    ["f", "d"].contains(String(cString: number.objCType))
      ? JSONValue.number(number.doubleValue).int64 : Int64(exactly: number)
  }

  /// The items of a list as exact integers.
  public var int64s: [Int64]? {
    switch self {
    case .integers(let values): return values
    case .numbers(let values): return Self.all(values) { JSONValue.number($0).int64 }
    case .array(let items): return Self.all(items, \.int64)
    default: return nil
    }
  }

  /// The items of a list as numbers.
  var doubles: [Double]? {
    switch self {
    case .integers(let values): return values.map { Double($0) }
    case .numbers(let values): return values
    case .array(let items): return Self.all(items, \.double)
    default: return nil
    }
  }

  private static func all<Item, Value>(_ items: [Item], _ value: (Item) -> Value?) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(items.count)
    for item in items {
      guard let value = value(item) else { return nil }
      values.append(value)
    }
    return values
  }

  var isList: Bool {
    switch self {
    case .numbers, .integers, .array: true
    default: false
    }
  }

  /// The name of the value's type in messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a truth value"
    case .integer, .number: "a number"
    case .string: "a string"
    case .numbers, .integers, .array: "a list"
    case .object: "an object"
    }
  }
}

private struct JSONParser {
  private let text: UnsafeRawBufferPointer
  private var position = 0
  private var point = CancellationPoint()

  private static let depthLimit = 64

  private let isWord: Bool

  init(_ text: UnsafeRawBufferPointer, isWord: Bool) { (self.text, self.isWord) = (text, isWord) }

  mutating func document() throws -> JSONValue {
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let result = try value(depth: 0)
    skip()
    guard position == text.count else { throw unexpected("the end") }
    return result
  }

  private var next: UInt8? { position < text.count ? text[position] : nil }

  private mutating func skip() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skip()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws -> JSONValue {
    try point.pass()
    skip()
    guard depth < Self.depthLimit else { throw error("values nest deeper than \(Self.depthLimit) levels") }
    switch next.map({ Character(UnicodeScalar($0)) }) {
    case "{": return try object(depth: depth)
    case "[": return try list(depth: depth)
    case "\"": return .string(try string())
    case "t": return try word("true", .bool(true))
    case "f": return try word("false", .bool(false))
    case "n": return try word("null", .null)
    case "N": return try word("NaN", .number(.nan))
    case "I": return try word("Infinity", .number(.infinity))
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws -> JSONValue {
    guard text[position...].starts(with: word.utf8) else { throw unexpected("a value") }
    position += word.utf8.count
    return value
  }

  private mutating func object(depth: Int) throws -> JSONValue {
    position += 1
    var members: [String: JSONValue] = [:]
    if take("}") { return .object(members) }
    repeat {
      skip()
      guard next == 0x22 else { throw unexpected("a name in quotes") }
      let name = try string()
      guard take(":") else { throw unexpected("a colon") }
      guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil else {
        throw error("the name '\(name)' stands twice")
      }
    } while take(",")
    guard take("}") else { throw unexpected("a comma or a closing brace") }
    return .object(members)
  }

  private mutating func list(depth: Int) throws -> JSONValue {
    position += 1
    if take("]") { return .array([]) }
    var list = JSONList()
    repeat {
      skip()
      if depth < Self.depthLimit - 1, try part(of: &list) { continue }
      if depth < Self.depthLimit - 1, let number = quickNumber() {
        try point.pass()
        list.append(number)
      } else {
        list.append(try value(depth: depth + 1))
      }
    } while take(",")
    guard take("]") else { throw unexpected("a comma or a closing bracket") }
    return list.value
  }

  /// Parses the next numbers in bulk. Returns false without consuming anything if the next item is something else.
  private mutating func part(of list: inout JSONList) throws -> Bool {
    try point.pass()
    guard list.takesParts, let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: 256) { numbers in
      guard let first = numbers.baseAddress else { return false }
      let part = cnumbers_read_part(base + position, base + text.count, isWord ? 1 : 0, numbers.count, first)
      guard part.count > 0 else { return false }
      position = part.next - base
      list.append(part: UnsafeBufferPointer(start: first, count: part.count), hasFraction: part.has_fraction != 0)
      return true
    }
  }

  /// Parses a number on the fast path. Returns nil without consuming anything if that is not possible.
  private mutating func quickNumber() -> JSONValue? {
    guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    let result = cnumbers_read(base + position, base + text.count, isWord ? 1 : 0)
    guard let next = result.next else { return nil }
    position = next - base
    return result.kind == CNumbersInteger ? .integer(result.integer) : .number(result.number)
  }

  private mutating func number() throws -> JSONValue {
    if let number = quickNumber() { return number }
    let start = position
    if next == 0x2D {
      position += 1
      if next == 0x49 { _ = try word("Infinity", .null); return .number(-.infinity) }
    }
    var isInteger = true
    let (first, zero) = (position, next == 0x30)
    try digits("a value")
    if zero, !isWord, position - first > 1 {
      throw error("a number begins with a zero that is not its only digit")
    }
    if next == 0x2E {
      (isInteger, position) = (false, position + 1)
      if !isWord || hasDigit { try digits("a digit") }
    }
    if next == 0x65 || next == 0x45 {
      (isInteger, position) = (false, position + 1)
      if next == 0x2B || next == 0x2D { position += 1 }
      try digits("a digit")
    }
    let word = String(decoding: text[start..<position], as: UTF8.self)
    if isInteger, let value = Int64(word) { return .integer(value) }
    guard let value = Double(word) else { throw unexpected("a value") }
    guard value.isFinite else { throw error("the number \(word.prefix(40)) is beyond what a double holds") }
    // At this magnitude a Double has no fraction, so the digits decide whether the number is an integer.
    if abs(value) >= 0x1p52, let integer = Int64(decimal: word) { return .integer(integer) }
    return .number(value)
  }

  private var hasDigit: Bool { next.map { (0x30...0x39).contains($0) } ?? false }

  private mutating func digits(_ expected: String) throws {
    guard hasDigit else { throw unexpected(expected) }
    while hasDigit { position += 1 }
  }

  private mutating func string() throws -> String {
    position += 1
    var bytes: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case 0x22:
        guard let string = String(validating: bytes, as: UTF8.self) else { throw error("a string is not UTF-8") }
        return string
      case 0x5C: try escape(into: &bytes)
      case 0..<0x20:
        position -= 1
        throw error("a string holds a control character")
      default: bytes.append(byte)
      }
    }
    throw error("a string does not end")
  }

  private mutating func escape(into bytes: inout [UInt8]) throws {
    guard let byte = next else { throw error("a string does not end") }
    position += 1
    switch Character(UnicodeScalar(byte)) {
    case "\"", "\\", "/": bytes.append(byte)
    case "b": bytes.append(8)
    case "f": bytes.append(12)
    case "n": bytes.append(10)
    case "r": bytes.append(13)
    case "t": bytes.append(9)
    case "u":
      var unit = try hexadecimal()
      if (0xD800..<0xDC00).contains(unit), next == 0x5C {
        position += 1
        guard next == 0x75 else { throw error("a surrogate pair is incomplete") }
        position += 1
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw error("a surrogate pair is incomplete") }
        unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = UnicodeScalar(unit) else { throw error("a surrogate pair is incomplete") }
      bytes.append(contentsOf: Array(String(scalar).utf8))
    default: throw error("an escape is unknown")
    }
  }

  private mutating func hexadecimal() throws -> UInt32 {
    // A number may start with a sign, an escape may not.
    guard text.count - position >= 4, text[position] >= UInt8(ascii: "0"),
      let unit = UInt32(String(decoding: text[position..<(position + 4)], as: UTF8.self), radix: 16)
    else { throw error("an escape lacks its four digits") }
    position += 4
    return unit
  }

  private func unexpected(_ expected: String) -> FeatureFileError {
    let found = next.map { $0 > 0x20 && $0 < 0x7F ? "'\(Character(UnicodeScalar($0)))'" : "byte \($0)" } ?? "the end"
    return error("expected \(expected), found \(found)")
  }

  private func error(_ sentence: String) -> FeatureFileError {
    let before = text[..<min(position, text.count)]
    let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
    let column = position - (before.lastIndex(of: 0x0A) ?? -1)
    return FeatureFileError(.invalid, "line \(line), column \(column): \(sentence)")
  }
}
