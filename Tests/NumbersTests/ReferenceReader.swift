import CNumbers

/// The result of `cnumbers_read` according to the JSON grammar and Swift's conversions.
enum ReferenceReader {
  enum Number: Equatable {
    case integer(Int64)
    /// Bits, so that -0.0 differs from 0.0.
    case double(UInt64)
    case other
  }

  static func read(_ text: some Sequence<UInt8>, isWord: Bool) -> (number: Number, count: Int) {
    let text = Array(text)
    var end = 0
    func digits() -> Int {
      let first = end
      while end < text.count, (0x30...0x39).contains(text[end]) { end += 1 }
      return end - first
    }
    func take(_ bytes: String) -> Bool {
      guard end < text.count, bytes.utf8.contains(text[end]) else { return false }
      end += 1
      return true
    }
    let isNegative = take("-")
    let first = end
    let count = digits()
    guard count > 0, isWord || count == 1 || text[first] != 0x30 else { return (.other, 0) }
    var isInteger = true
    var number = String(decoding: text[..<end], as: UTF8.self)
    if take(".") {
      isInteger = false
      let fraction = end
      guard digits() > 0 || isWord else { return (.other, 0) }
      number += "." + String(decoding: text[fraction..<end], as: UTF8.self) + "0"
    }
    let mark = end
    if take("eE") {
      isInteger = false
      _ = take("+-")
      guard digits() > 0 else { return (.other, 0) }
      number += String(decoding: text[mark..<end], as: UTF8.self)
    }
    if isInteger {
      guard let value = Int64(number.drop { $0 == "-" }) else { return (.other, 0) }
      return (.integer(isNegative ? -value : value), end)
    }
    guard let value = Double(number), value.magnitude < 0x1p52 else { return (.other, 0) }
    return (.double(value.bitPattern), end)
  }
}

/// The bytes of a text in memory of exactly their size, so that AddressSanitizer detects a read beyond the end.
final class ExactText {
  let bytes: UnsafeMutableBufferPointer<UInt8>
  let start: UnsafePointer<UInt8>
  var end: UnsafePointer<UInt8> { start + bytes.count }

  init(_ text: some Collection<UInt8>) {
    bytes = .allocate(capacity: text.count)
    _ = bytes.initialize(from: text)
    // An empty buffer needs an address as well.
    start = bytes.baseAddress.map { UnsafePointer($0) } ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped
  }

  deinit { bytes.deallocate() }

  /// The number at an offset, and its number of bytes.
  func read(at offset: Int = 0, isWord: Bool = false) -> (number: ReferenceReader.Number, count: Int) {
    let result = cnumbers_read(start + offset, end, isWord ? 1 : 0)
    guard let next = result.next else { return (.other, 0) }
    let count = next - (start + offset)
    if result.kind == CNumbersInteger { return (.integer(result.integer), count) }
    return (.double(result.number.bitPattern), count)
  }
}
