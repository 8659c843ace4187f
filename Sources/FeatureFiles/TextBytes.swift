import CNumbers

/// Text as UTF-8 bytes, for the writers of JSON and of tables.
extension [UInt8] {
  /// Appends the output of a `CNumbers` function for `count` numbers.
  private mutating func append(_ count: Int = 1, _ print: (UnsafeMutablePointer<UInt8>) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count * Int(CNumbersRoom)) { text in
      guard let base = text.baseAddress else { return }
      append(contentsOf: UnsafeBufferPointer(start: base, count: print(base)))
    }
  }

  /// Appends numbers separated by `, `, each in the format of `append(number:quoted:)`.
  private mutating func append<Number>(
    list numbers: UnsafeBufferPointer<Number>,
    _ print: (UnsafePointer<Number>, Int, UnsafeMutablePointer<UInt8>) -> Int
  ) {
    // Limits the stack memory for each call.
    let most = 256
    for first in stride(from: 0, to: numbers.count, by: most) {
      if first > 0 { append(contentsOf: [0x2C, 0x20]) }
      let part = UnsafeBufferPointer(rebasing: numbers[first..<Swift.min(first + most, numbers.count)])
      append(part.count) { text in part.baseAddress.map { print($0, part.count, text) } ?? 0 }
    }
  }

  package mutating func append(list numbers: UnsafeBufferPointer<Double>) {
    append(list: numbers) { cnumbers_print_doubles($0, $1, $2) }
  }

  package mutating func append(list numbers: UnsafeBufferPointer<Float>) {
    append(list: numbers) { cnumbers_print_floats($0, $1, $2) }
  }

  package mutating func append(list numbers: UnsafeBufferPointer<Int32>) {
    append(list: numbers) { cnumbers_print_int32s($0, $1, $2) }
  }

  /// Appends the decimal digits of an integer.
  package mutating func append(number value: Int64) { append { cnumbers_print_integer(value, $0) } }

  /// Appends the fewest digits that parse to the same number.
  ///
  /// - Parameter quoted: Whether to write NaN and infinities as strings, since JSON cannot represent them.
  package mutating func append(number value: Double, quoted: Bool) {
    guard value.isFinite else { return append(notFinite: value, quoted: quoted) }
    append { cnumbers_print_double(value, $0) }
  }

  /// Appends the fewest digits that parse to the same fp32 number.
  package mutating func append(number value: Float, quoted: Bool) {
    guard value.isFinite else { return append(notFinite: Double(value), quoted: quoted) }
    append { cnumbers_print_float(value, $0) }
  }

  private mutating func append(notFinite value: Double, quoted: Bool) {
    if quoted { append(0x22) }
    append(contentsOf: (value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity").utf8)
    if quoted { append(0x22) }
  }

  /// Appends a JSON string.
  package mutating func append(quoted text: String) {
    append(0x22)
    var text = text
    text.withUTF8 { append(escaped: UnsafeRawBufferPointer($0)) }
    append(0x22)
  }

  /// Appends the text between the quotes of a JSON string.
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
