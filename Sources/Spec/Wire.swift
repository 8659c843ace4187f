/// The protobuf wire format: the way through the fields of one message, in the order of the bytes.
///
/// Nothing is allocated, and nothing is believed before it is checked against the bytes that there are. Groups are refused: no Core ML
/// message has one. A varint of more bytes than its value needs is accepted up to ten bytes, as protobuf does; one that overflows 64
/// bits is refused.
public struct WireCursor: Sendable {
  let bytes: Bytes
  /// The offset of the next field from the start of the message.
  public private(set) var position: Int = 0

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// One field: its number, its value and the bytes that it takes, tag and all.
  public struct Field: Sendable {
    public enum Value: Sendable {
      case varint(UInt64)
      case fixed64(UInt64)
      case fixed32(UInt32)
      /// A string, bytes, a message or packed numbers: a range of the message's bytes.
      case range(Range<Int>)
    }

    public let number: Int
    public let value: Value
    /// The whole field in the message's bytes, from the tag on.
    public let range: Range<Int>
  }

  /// The next field, or nil at the end of the message.
  public mutating func next() throws -> Field? {
    guard position < bytes.count else { return nil }
    let start = position
    let tag = try varint(from: start)
    let number = tag >> 3
    guard number >= 1, number <= 536_870_911 else {
      throw damaged(.malformedTag, "field number \(number) is not within 1...536870911", at: start)
    }
    let value: Field.Value
    switch tag & 7 {
    case 0: value = .varint(try varint(from: start))
    case 1: value = .fixed64(UInt64(littleEndian: try fixed(UInt64.self, number)))
    case 2:
      let length = try varint(from: start)
      guard length <= UInt64(bytes.count - position) else {
        throw damaged(
          .truncated, "field \(number) states \(length) bytes and its message has \(bytes.count - position) left",
          at: start)
      }
      let end = position + Int(length)
      value = .range(position..<end)
      position = end
    case 3, 4: throw damaged(.group, "field \(number) is a group, which no Core ML message has", at: start)
    case 5: value = .fixed32(UInt32(littleEndian: try fixed(UInt32.self, number)))
    default: throw damaged(.malformedTag, "field \(number) has wire type \(tag & 7), which does not exist", at: start)
    }
    return Field(number: Int(number), value: value, range: start..<position)
  }

  /// The varint at `position`, which moves behind it.
  mutating func varint(from start: Int) throws -> UInt64 {
    let (value, length) = bytes.withUnsafeBytes { buffer -> (UInt64, Int) in
      var value: UInt64 = 0
      var index = position
      var shift: UInt64 = 0
      while index < buffer.count, shift < 70 {
        let byte = UInt64(buffer[index])
        if shift == 63, byte > 1 { return (0, -1) }
        value |= (byte & 0x7f) << shift
        index += 1
        if byte < 0x80 { return (value, index - position) }
        shift += 7
      }
      return (0, index == buffer.count ? 0 : -1)
    }
    if length == 0 { throw damaged(.truncated, "a varint ends after its message", at: start) }
    if length < 0 { throw damaged(.malformedVarint, "a varint overflows 64 bits", at: start) }
    position += length
    return value
  }

  private mutating func fixed<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, _ number: UInt64) throws -> T {
    let size = MemoryLayout<T>.size
    guard bytes.count - position >= size else {
      throw damaged(
        .truncated, "field \(number) takes \(size) bytes and its message has \(bytes.count - position) left",
        at: position)
    }
    defer { position += size }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: T.self) }
  }

  func damaged(_ code: SpecError.Code, _ sentence: String, at position: Int) -> SpecError {
    bytes.error(code, "damaged at byte \(bytes.offset + position): \(sentence)")
  }
}
