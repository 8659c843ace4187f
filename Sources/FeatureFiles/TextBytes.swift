/// Text as UTF-8 bytes: what the writers of JSON and of tables share.
extension [UInt8] {
  /// The decimal digits of an integer.
  package mutating func append(number value: Int64) { append(contentsOf: value.description.utf8) }

  /// The fewest digits that read back as the same number.
  ///
  /// - Parameter quoted: whether NaN and infinities, for which JSON has no word, are strings.
  package mutating func append(number value: Double, quoted: Bool) {
    guard value.isFinite else { return append(notFinite: value, quoted: quoted) }
    append(contentsOf: value.description.utf8)
  }

  /// The fewest digits that read back as the same number of single precision.
  package mutating func append(number value: Float, quoted: Bool) {
    guard value.isFinite else { return append(notFinite: Double(value), quoted: quoted) }
    append(contentsOf: value.description.utf8)
  }

  private mutating func append(notFinite value: Double, quoted: Bool) {
    if quoted { append(0x22) }
    append(contentsOf: (value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity").utf8)
    if quoted { append(0x22) }
  }

  /// A JSON string.
  package mutating func append(quoted text: String) {
    append(0x22)
    var text = text
    text.withUTF8 { append(escaped: UnsafeRawBufferPointer($0)) }
    append(0x22)
  }

  /// What stands between the quotes of a JSON string.
  private mutating func append(escaped text: UnsafeRawBufferPointer) {
    var start = 0
    for (index, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
      append(contentsOf: text[start..<index])
      start = index + 1
      append(0x5C)
      switch byte {
      case 0x0A: append(0x6E)
      case 0x0D: append(0x72)
      case 0x09: append(0x74)
      case 0x22, 0x5C: append(byte)
      default:
        let digits = String(byte, radix: 16)
        append(contentsOf: ("u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
      }
    }
    append(contentsOf: text[start...])
  }
}
