/// Parses JSON text (RFC 8259) with a limit on its depth.
struct JSONParser {
  private let bytes: [UInt8]
  private var at = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Throws: `TokenizerError` of code `.invalid` with the offset of the first error.
  static func parse(_ bytes: [UInt8]) throws -> JSONValue {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw TokenizerError(.invalid, "the file is not UTF-8 text")
    }
    var parser = JSONParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.at == bytes.count else { throw parser.error("expected the end of the file") }
    return value
  }

  private func error(_ sentence: String) -> TokenizerError {
    TokenizerError(.invalid, "the file is not JSON: \(sentence) at byte \(at)")
  }

  private var current: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    at += 1
    return true
  }

  private mutating func value(depth: Int) throws -> JSONValue {
    guard depth < TokenizerLimits.depth else { throw error("expected at most \(TokenizerLimits.depth) nested values") }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return .object(try object(depth: depth))
    case UInt8(ascii: "["): return .array(try array(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
    let end = at + word.utf8CodeUnitCount
    let isWord = word.withUTF8Buffer { end <= bytes.count && bytes[at..<end].elementsEqual($0) }
    guard isWord else { throw error("expected a value") }
    at = end
    return value
  }

  private mutating func object(depth: Int) throws -> [JSONValue.Member] {
    at += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return members }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw error("expected a key") }
      let key = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw error("expected a colon") }
      members.append(JSONValue.Member(key: key, value: try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return members }
      guard take(UInt8(ascii: ",")) else { throw error("expected a comma or the end of an object") }
    }
  }

  private mutating func array(depth: Int) throws -> [JSONValue] {
    at += 1
    var values: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return values }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return values }
      guard take(UInt8(ascii: ",")) else { throw error("expected a comma or the end of an array") }
    }
  }

  private mutating func number() throws -> Double {
    guard let (number, end) = JSONNumber.parse(bytes[at...]) else { throw error("expected a value") }
    at = end
    return number
  }

  private mutating func string() throws -> [UInt8] {
    at += 1
    var text: [UInt8] = []
    var start = at
    while let byte = current {
      if byte == UInt8(ascii: "\"") {
        text += bytes[start..<at]
        at += 1
        return text
      }
      guard byte >= 0x20 else { throw error("expected no control character in a string") }
      if byte == UInt8(ascii: "\\") {
        text += bytes[start..<at]
        at += 1
        try escape(into: &text)
        start = at
      } else {
        at += 1
      }
    }
    throw error("expected the end of a string")
  }

  private mutating func escape(into text: inout [UInt8]) throws {
    guard let byte = current else { throw error("expected the end of a string") }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var value = try hexadecimal()
      if (0xD800..<0xDC00).contains(value) {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("expected a low surrogate") }
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw error("expected a low surrogate") }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw error("expected a high surrogate first") }
      text += scalar.utf8
    default: throw error("expected a valid escape sequence")
    }
  }

  private mutating func hexadecimal() throws -> UInt32 {
    guard at + 4 <= bytes.count, bytes[at..<at + 4].allSatisfy({ isHexadecimal($0) }),
      let value = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
    else { throw error("expected four hexadecimal digits") }
    at += 4
    return value
  }

  private func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }
}
