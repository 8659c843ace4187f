/// Writes the fields of a protobuf message. As in proto3, empty text is left out.
package struct WireWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func key(_ number: Int, _ type: UInt64) { varint(UInt64(number) << 3 | type) }

  package mutating func text(_ number: Int, _ text: String) {
    if !text.isEmpty { field(number, text.utf8) }
  }

  /// Writes bytes, text or a message, empty or not.
  package mutating func field(_ number: Int, _ content: some Collection<UInt8>) {
    key(number, 2)
    varint(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  package mutating func message(_ number: Int, _ write: (inout WireWriter) -> Void) {
    var inner = WireWriter()
    write(&inner)
    field(number, inner.bytes)
  }

  package mutating func double(_ number: Int, _ value: Double) {
    key(number, 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes an element of a tensor of byte strings: its length in 32 bits, and its bytes.
  mutating func lengthAndBytes(_ string: [UInt8]) {
    withUnsafeBytes(of: UInt32(clamping: string.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: string)
  }

  package mutating func packed(_ number: Int, _ values: [Int]) {
    guard !values.isEmpty else { return }
    message(number) { inner in for value in values { inner.varint(UInt64(bitPattern: Int64(value))) } }
  }
}
