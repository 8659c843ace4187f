import CoreMLServingInterface

/// Reads the fields of one protobuf message in order.
///
/// The reader copies nothing: the bytes of a field are a part of the message, which the caller keeps in memory. It
/// trusts no length. Groups are refused, since proto3 has none, so that reading never recurses.
struct WireReader {
  enum Value {
    case varint(UInt64)
    case fixed64(UInt64)
    case bytes(UnsafeRawBufferPointer)
    case fixed32(UInt32)
  }

  struct Field {
    let number: Int
    let value: Value
  }

  private let message: UnsafeRawBufferPointer
  private var offset = 0

  init(_ message: UnsafeRawBufferPointer) { self.message = message }

  var isAtEnd: Bool { offset == message.count }

  /// The next field; nil at the end of the message.
  mutating func next() throws(ServingError) -> Field? {
    guard !isAtEnd else { return nil }
    let key = try varint()
    guard let number = Int(exactly: key >> 3), number > 0, number < 1 << 29 else {
      throw ServingError(.invalidArgument, "The message has a field with the number \(key >> 3), which is not valid.")
    }
    return Field(number: number, value: try value(key & 7, number))
  }

  private mutating func value(_ type: UInt64, _ number: Int) throws(ServingError) -> Value {
    switch type {
    case 0: return .varint(try varint())
    case 1: return .fixed64(try fixed(UInt64.self))
    case 2:
      let length = try varint()
      guard length <= UInt64(message.count - offset) else {
        throw ServingError(
          .invalidArgument,
          "Field \(number) of the message announces \(length) bytes, but only \(message.count - offset) follow.")
      }
      let end = offset + Int(length)
      defer { offset = end }
      return .bytes(UnsafeRawBufferPointer(rebasing: message[offset..<end]))
    case 5: return .fixed32(try fixed(UInt32.self))
    default: throw ServingError(.invalidArgument, "Field \(number) of the message has the unknown wire type \(type).")
    }
  }

  mutating func varint() throws(ServingError) -> UInt64 {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard offset < message.count else { throw ServingError(.invalidArgument, "The message ends inside a number.") }
      let byte = message[offset]
      offset += 1
      // The tenth byte holds one bit.
      guard shift < 63 || byte <= 1 else { break }
      result |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return result }
    }
    throw ServingError(.invalidArgument, "The message has a number of more than 64 bits.")
  }

  mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) throws(ServingError) -> Number {
    guard message.count - offset >= MemoryLayout<Number>.size else {
      throw ServingError(.invalidArgument, "The message ends inside a number.")
    }
    defer { offset += MemoryLayout<Number>.size }
    return Number(littleEndian: message.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension WireReader.Field {
  /// The bytes of a field that the protocol defines as text, bytes, a message or a packed list.
  func bytes(_ what: @autoclosure () -> String) throws(ServingError) -> UnsafeRawBufferPointer {
    guard case .bytes(let bytes) = value else { throw mismatch(what()) }
    return bytes
  }

  func text(_ what: @autoclosure () -> String) throws(ServingError) -> String {
    guard let text = String(validating: try bytes(what()), as: UTF8.self) else {
      throw ServingError(.invalidArgument, "\(what()) is not UTF-8.")
    }
    return text
  }

  func varint(_ what: @autoclosure () -> String) throws(ServingError) -> UInt64 {
    guard case .varint(let number) = value else { throw mismatch(what()) }
    return number
  }

  func mismatch(_ what: String) -> ServingError {
    ServingError(.invalidArgument, "\(what) has a wire type that does not fit its definition.")
  }
}
