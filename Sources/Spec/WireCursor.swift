import CoreMLBase

/// Iterates over all fields of one message in file order, known or not.
///
/// It does not allocate, and checks everything against the available bytes. One iteration is the fast way to read many
/// fields of many small messages, since each accessor of a view scans its whole message.
package struct WireCursor: Sendable {
  private let bytes: Bytes
  /// The offset of the next field from the start of the message.
  package private(set) var position = 0

  init(_ bytes: Bytes) { self.bytes = bytes }

  /// One field: its number, its value and its encoded range.
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
    /// The whole field in the message's bytes, including the tag.
    package let range: Range<Int>

    /// Creates a field from a step without errors.
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
  /// Scans the fields, and calls `body` with those whose number is `wanted`.
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
