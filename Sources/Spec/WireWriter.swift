import CoreMLBase

/// Writes a protobuf message. Fields are appended in call order.
package struct WireWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  private mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func append(tag number: Int, _ wireType: UInt64) {
    precondition((1...536_870_911).contains(number), "a field number is within 1...536870911")
    append(varint: UInt64(number) << 3 | wireType)
  }

  private mutating func append<T: FixedWidthInteger>(fixed value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  // MARK: One value

  /// An int32, int64 or enumeration field. Negative numbers take ten bytes, as protobuf requires.
  package mutating func append(_ number: Int, int value: Int64) { append(number, uint: UInt64(bitPattern: value)) }

  package mutating func append(_ number: Int, uint value: UInt64) {
    append(tag: number, 0)
    append(varint: value)
  }

  package mutating func append(_ number: Int, bool value: Bool) { append(number, uint: value ? 1 : 0) }

  package mutating func append(_ number: Int, float value: Float) {
    append(tag: number, 5)
    append(fixed: value.bitPattern)
  }

  package mutating func append(_ number: Int, double value: Double) {
    append(tag: number, 1)
    append(fixed: value.bitPattern)
  }

  package mutating func append(_ number: Int, string value: String) {
    append(number, bytes: value.utf8)
  }

  package mutating func append(_ number: Int, bytes value: some Collection<UInt8>) {
    append(tag: number, 2)
    append(varint: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  package mutating func append(_ number: Int, bytes value: Bytes) {
    value.withUnsafeBytes { append(number, bytes: $0) }
  }

  /// The tag and length of a field. The caller writes the `count` bytes after it.
  mutating func append(_ number: Int, lengthOf count: Int) {
    append(tag: number, 2)
    append(varint: UInt64(count))
  }

  /// A message field; `body` appends its fields.
  package mutating func append(_ number: Int, message body: (inout WireWriter) throws -> Void) rethrows {
    var inner = WireWriter()
    try body(&inner)
    append(number, bytes: inner.bytes)
  }

  // MARK: Repeated, packed

  package mutating func append(_ number: Int, packed values: [Int64]) {
    var inner = WireWriter()
    for value in values { inner.append(varint: UInt64(bitPattern: value)) }
    append(number, bytes: inner.bytes)
  }

  package mutating func append(_ number: Int, packed values: [Float]) {
    append(tag: number, 2)
    append(varint: UInt64(values.count) * 4)
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ number: Int, packed values: [Double]) {
    append(tag: number, 2)
    append(varint: UInt64(values.count) * 8)
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  // MARK: Copies

  /// A field of another message, copied byte by byte including its tag. So unknown fields survive an edit.
  package mutating func append(copyOf field: WireCursor.Field, in message: Message) throws {
    try message.bytes.slice(field.range).withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}
