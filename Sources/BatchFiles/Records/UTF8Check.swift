/// Validates the pieces of a text as UTF-8.
struct UTF8Check {
  /// The bytes of a character that continues in the next piece.
  private var open: [UInt8] = []

  var isComplete: Bool { open.isEmpty }

  mutating func pass(_ piece: UnsafeRawBufferPointer) -> Bool {
    if open.isEmpty, Self.isASCII(piece) { return true }
    var text = open + piece
    open = []
    // At most three bytes can be an incomplete character.
    if let lead = text.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
      let length = text[lead] >= 0xF0 ? 4 : text[lead] >= 0xE0 ? 3 : 2
      if text.count - lead < length {
        open = Array(text[lead...])
        text.removeSubrange(lead...)
      }
    }
    return String(validating: text, as: UTF8.self) != nil
  }

  private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var (high, index) = (UInt64(0), 0)
    while index + 8 <= text.count {
      high |= text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < text.count {
      high |= UInt64(text[index])
      index += 1
    }
    return high & 0x8080_8080_8080_8080 == 0
  }
}
