import CNumbers
import CoreMLServingInterface

/// Numbers, strings, and values of parameters.
extension JSONScanner {
  /// A number of any size.
  package enum Number {
    case integer(Int64)
    /// An integer of 2^63 and above, below 2^64.
    case unsigned(UInt64)
    case real(Double)
  }

  /// - Throws: If the text is no number, or beyond the range of a double.
  package mutating func number() throws(ServingError) -> Number {
    guard peek() != nil else { throw error("a value was expected") }
    let read = cnumbers_read(address + position, end, 0)
    guard let next = read.next else { return try largeNumber() }
    position = next - address
    return read.kind == CNumbersInteger ? .integer(read.integer) : .real(read.number)
  }

  /// Numbers that `cnumbers_read` leaves: integers beyond 64 bits, and doubles of 2^52 and above.
  private mutating func largeNumber() throws(ServingError) -> Number {
    let start = position
    var scan = position
    func digits() -> Int {
      let first = scan
      while scan < text.count, text[scan] >= 0x30, text[scan] <= 0x39 { scan += 1 }
      return scan - first
    }
    func has(_ characters: StaticString) -> Bool {
      guard scan < text.count else { return false }
      for index in 0..<characters.utf8CodeUnitCount where text[scan] == characters.utf8Start[index] {
        scan += 1
        return true
      }
      return false
    }
    let isNegative = has("-")
    let whole = scan
    let count = digits()
    guard count > 0, count == 1 || text[whole] != 0x30 else { throw error("a value was expected") }
    var isInteger = true
    if has(".") {
      isInteger = false
      guard digits() > 0 else { throw error("a digit was expected after the point") }
    }
    if has("eE") {
      isInteger = false
      _ = has("+-")
      guard digits() > 0 else { throw error("a digit was expected in the exponent") }
    }
    let spelling = String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<scan]), as: UTF8.self)
    if isInteger, !isNegative, let value = UInt64(spelling) {
      position = scan
      return .unsigned(value)
    }
    // Long texts are cut off by nobody: Double reads any length, and rounds correctly.
    guard let value = Double(spelling), value.isFinite else { throw error("the number is beyond a double") }
    position = scan
    return .real(value)
  }

  /// Reads a string with its escapes.
  package mutating func string() throws(ServingError) -> String {
    let bytes = try stringBytes()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a string as UTF-8.
  package mutating func stringBytes() throws(ServingError) -> [UInt8] {
    guard peek() == UInt8(ascii: "\"") else { throw error("a string was expected") }
    let first = position + 1
    guard let plain = plainEnd(first) else { throw error("the string has no end") }
    if text[plain] == UInt8(ascii: "\"") {
      position = plain + 1
      return try checked(Array(text[first..<plain]), first)
    }
    var bytes = Array(text[first..<plain])
    position = plain
    while true {
      guard position < text.count else { throw error("the string has no end") }
      switch text[position] {
      case UInt8(ascii: "\""):
        position += 1
        return try checked(bytes, first)
      case UInt8(ascii: "\\"): try escape(&bytes)
      case 0..<0x20: throw error("a control character in a string")
      case let byte:
        bytes.append(byte)
        position += 1
      }
    }
  }

  mutating func skipString() throws(ServingError) { _ = try stringBytes() }

  /// The first quote, backslash or control character from `first`.
  private func plainEnd(_ first: Int) -> Int? {
    var index = first
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return index }
      index += 1
    }
    return nil
  }

  private func checked(_ bytes: [UInt8], _ start: Int) throws(ServingError) -> [UInt8] {
    if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil { return bytes }
    throw ServingError(.invalidArgument, "The JSON is wrong at byte \(start): the string is not UTF-8.")
  }

  private mutating func escape(_ bytes: inout [UInt8]) throws(ServingError) {
    guard position + 1 < text.count else { throw error("the string has no end") }
    let kind = text[position + 1]
    position += 2
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(kind)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if code >= 0xD800, code < 0xDC00 {
        guard position + 1 < text.count, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u")
        else { throw error("half of a surrogate pair") }
        position += 2
        let low = try hexadecimal()
        guard low >= 0xDC00, low < 0xE000 else { throw error("half of a surrogate pair") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("half of a surrogate pair") }
      bytes.append(contentsOf: String(Character(scalar)).utf8)
    default: throw error("an escape that JSON does not have")
    }
  }

  private mutating func hexadecimal() throws(ServingError) -> UInt32 {
    guard position + 4 <= text.count else { throw error("the string has no end") }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(text[position])).hexDigitValue, text[position] < 0x80 else {
        throw error("four hexadecimal digits were expected")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  /// Reads the value of a parameter; nil for null, and for arrays and objects, which the protocol does not have there.
  package mutating func parameter() throws(ServingError) -> ParameterValue? {
    switch peek() {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try bool())
    case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "n"):
      try skip()
      return nil
    default:
      switch try number() {
      case .integer(let value): return .integer(value)
      // As text, so that an unsigned sequence id keeps its digits.
      case .unsigned(let value): return .text(String(value))
      case .real(let value): return .number(value)
      }
    }
  }

  package mutating func parameters() throws(ServingError) -> [String: ParameterValue] {
    var values: [String: ParameterValue] = [:]
    try object { name, scanner throws(ServingError) in
      if let value = try scanner.parameter() { values[name] = value }
    }
    return values
  }
}
