import CoreMLBase

/// The way through the fields of one message, known or not, in the order of the bytes.
///
/// Nothing is allocated, and nothing is believed before it is checked against the bytes that there are. One way through the fields is the
/// fast way to read many fields of many small messages: an accessor of a view goes over its message each time.
package struct WireCursor: Sendable {
  private let bytes: Bytes
  /// The offset of the next field from the start of the message.
  package private(set) var position = 0

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// One field: its number, its value and the bytes that it takes, tag and all.
  package struct Field: Sendable {
    package enum Value: Sendable {
      case varint(UInt64)
      case fixed64(UInt64)
      case fixed32(UInt32)
      /// A string, bytes, a message or packed numbers: a range of the message's bytes.
      case range(Range<Int>)
    }

    package let number: Int
    package let value: Value
    /// The whole field in the message's bytes, from the tag on.
    package let range: Range<Int>

    /// A field that is not damaged.
    @inline(__always)
    init(_ step: WireStep, at start: Int) {
      number = Int(step.number)
      range = start..<step.end
      switch step.kind {
      case .fixed64: value = .fixed64(step.value)
      case .fixed32: value = .fixed32(UInt32(truncatingIfNeeded: step.value))
      case .range: value = .range(Int(step.value)..<step.end)
      default: value = .varint(step.value)
      }
    }
  }

  /// The next field, or nil at the end of the message.
  package mutating func next() throws -> Field? {
    guard position < bytes.count else { return nil }
    let step = bytes.withUnsafeBytes { _ in WireStep(bytes.pointer, bytes.count, at: position) }
    if let error = step.error(in: bytes, at: position) { throw error }
    defer { position = step.end }
    return Field(step, at: position)
  }
}

extension Message {
  /// Goes over the fields; `wanted` chooses by number, and `body` gets those.
  @inline(__always)
  func scan(where wanted: (UInt64) -> Bool, _ body: (Field) throws -> Void) throws {
    try bytes.withUnsafeBytes { _ in
      var position = 0
      while position < bytes.count {
        let step = WireStep(bytes.pointer, bytes.count, at: position)
        if step.kind.rawValue > WireStep.Kind.fixed32.rawValue, let error = step.error(in: bytes, at: position) {
          throw error
        }
        if wanted(step.number) { try body(Field(step, at: position)) }
        position = step.end
      }
    }
  }
}
