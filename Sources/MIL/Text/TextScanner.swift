/// The tokens of MIL text: words, numbers, strings and punctuation. Skips white space and comments.
struct TextScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// An error at the current position.
  func error(_ message: String) -> MILError {
    var line = 1
    var column = 1
    for byte in bytes.prefix(position) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
    return MILError(.syntax, "line \(line), column \(column): \(message)")
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
        || byte == UInt8(ascii: "\r")
      {
        position += 1
      } else if byte == UInt8(ascii: "/"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "/") {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
      } else {
        return
      }
    }
  }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return position == bytes.count
    }
  }

  /// Consumes the punctuation if it is next.
  mutating func take(_ punctuation: StaticString) -> Bool {
    skipSpace()
    let count = punctuation.utf8CodeUnitCount
    guard position + count <= bytes.count else { return false }
    for index in 0..<count where bytes[position + index] != punctuation.utf8Start[index] { return false }
    position += count
    return true
  }

  mutating func expect(_ punctuation: StaticString) throws {
    guard take(punctuation) else { throw error("'\(punctuation)' is expected here") }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }

  /// Whether a word is next, without consuming it.
  mutating func isAtWord(_ word: StaticString) -> Bool {
    let start = position
    defer { position = start }
    guard take(word) else { return false }
    return position == bytes.count || !Self.isWordByte(bytes[position])
  }

  /// Consumes a word: letters, digits, underscores and dots (for operations such as `nn.lstm`).
  mutating func word(_ what: StaticString) throws -> String {
    guard let word = takeWord() else { throw error("\(what) is expected here") }
    return word
  }

  /// Consumes a word; nil if none is next.
  mutating func takeWord() -> String? {
    skipSpace()
    let start = position
    while position < bytes.count,
      Self.isWordByte(bytes[position]) || (bytes[position] == UInt8(ascii: ".") && position > start)
    {
      position += 1
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Consumes a value name: a word, or any text quoted after a percent sign.
  mutating func name(_ what: StaticString = "a name") throws -> String {
    if take("%") { return try string() }
    return try word(what)
  }

  /// Consumes the characters of a number: sign, digits, dots, hexadecimal floats, `inf`, `nan`.
  mutating func number() throws -> String {
    skipSpace()
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      guard Self.isWordByte(byte) || byte == UInt8(ascii: ".") || isSign else { break }
      position += 1
    }
    guard position > start else { throw error("a number is expected here") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Consumes a quoted string with backslash escapes.
  mutating func string() throws -> String {
    try expect("\"")
    var result: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard position < bytes.count else { throw error("the string does not end") }
        let escaped = bytes[position]
        position += 1
        switch escaped {
        case UInt8(ascii: "n"): result.append(10)
        case UInt8(ascii: "t"): result.append(9)
        case UInt8(ascii: "r"): result.append(13)
        case UInt8(ascii: "x"): result.append(try hexByte())
        default: result.append(escaped)
        }
      default: result.append(byte)
      }
    }
    throw error("the string does not end")
  }

  private mutating func hexByte() throws -> UInt8 {
    guard position + 2 <= bytes.count,
      let value = UInt8(String(decoding: bytes[position..<position + 2], as: UTF8.self), radix: 16)
    else { throw error("two hexadecimal digits are expected after \\x") }
    position += 2
    return value
  }
}
