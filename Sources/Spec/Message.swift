import CoreMLBase

/// A protobuf message: a range of bytes, with fields decoded on access.
///
/// It follows protobuf's rules. Fields may be in any order, and the last occurrence of a scalar wins. Several
/// occurrences of a message are merged by concatenating their encodings, which is equivalent to protobuf's merging.
/// Repeated numbers may be packed, unpacked or both. Unknown fields are skipped, and absent fields are zero or empty.
/// One rule is stricter: a known field with the wrong wire type is an error, where protobuf treats it as unknown.
///
/// Each access scans the fields of this message (not of nested ones), so cache values that are needed often.
package struct Message: Sendable {
  /// The maximum nesting depth of messages, as in protobuf.
  package static let depthLimit = 100

  package let bytes: Bytes
  /// The nesting depth of this message.
  package let depth: Int

  /// The message encoded by `bytes`.
  package init(_ bytes: Bytes) { self.init(bytes, depth: 0) }

  /// An empty message.
  package init() { self.init(Bytes()) }

  init(_ bytes: Bytes, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }

  package typealias Field = WireCursor.Field

  /// Iterates over all fields in file order, known or not.
  package var fields: WireCursor { WireCursor(bytes) }

  /// The last field with this number.
  func last(_ number: Int) throws -> Field? {
    var found: Field?
    try scan(where: { Int($0) == number }) { found = $0 }
    return found
  }

  /// Calls `body` with each field of this number.
  func forEach(_ number: Int, _ body: (Field) throws -> Void) throws {
    try scan(where: { Int($0) == number }, body)
  }

  /// Whether there is a field with this number.
  package func has(_ number: Int) throws -> Bool { try last(number) != nil }

  // MARK: One field

  package func int32(_ number: Int) throws -> Int32 { try last(number).map(int32) ?? 0 }
  package func int64(_ number: Int) throws -> Int64 { try last(number).map(int64) ?? 0 }
  package func uint32(_ number: Int) throws -> UInt32 { try last(number).map(uint32) ?? 0 }
  package func uint64(_ number: Int) throws -> UInt64 { try last(number).map(uint64) ?? 0 }
  package func bool(_ number: Int) throws -> Bool { try last(number).map(bool) ?? false }
  package func float(_ number: Int) throws -> Float { try last(number).map(float) ?? 0 }
  package func double(_ number: Int) throws -> Double { try last(number).map(double) ?? 0 }
  package func string(_ number: Int) throws -> String { try last(number).map(string) ?? "" }
  package func bytes(_ number: Int) throws -> Bytes { try last(number).map(bytes) ?? Bytes() }

  /// The value of an enumeration. Throws if it is unknown.
  func value<E: RawRepresentable<Int32>>(_ number: Int, _ type: E.Type) throws -> E {
    let raw = try int32(number)
    guard let value = E(rawValue: raw) else {
      throw error(.unknownEnumValue, "\(raw) in field \(number) is no value of \(E.self)")
    }
    return value
  }

  /// The message in a field, merged from all its occurrences; nil if there are none.
  package func message(_ number: Int) throws -> Message? {
    var pieces = Pieces()
    try forEach(number) { pieces.add(try range($0)) }
    return try pieces.message(in: self)
  }

  // MARK: One value

  func int32(_ field: Field) throws -> Int32 { Int32(truncatingIfNeeded: try uint64(field)) }
  func int64(_ field: Field) throws -> Int64 { Int64(bitPattern: try uint64(field)) }
  func uint32(_ field: Field) throws -> UInt32 { UInt32(truncatingIfNeeded: try uint64(field)) }
  func bool(_ field: Field) throws -> Bool { try uint64(field) != 0 }

  func uint64(_ field: Field) throws -> UInt64 {
    guard case .varint(let value) = field.value else { throw wrongType(field, "a varint") }
    return value
  }

  func float(_ field: Field) throws -> Float {
    guard case .fixed32(let bits) = field.value else { throw wrongType(field, "four bytes") }
    return Float(bitPattern: bits)
  }

  func double(_ field: Field) throws -> Double {
    guard case .fixed64(let bits) = field.value else { throw wrongType(field, "eight bytes") }
    return Double(bitPattern: bits)
  }

  func string(_ field: Field) throws -> String {
    let text = bytes.unchecked(try range(field)).withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    guard let text else { throw error(.invalidUTF8, "the string in field \(field.number) is not UTF-8", field) }
    return text
  }

  func bytes(_ field: Field) throws -> Bytes { bytes.unchecked(try range(field)) }

  func range(_ field: Field) throws -> Range<Int> {
    guard case .range(let range) = field.value else { throw wrongType(field, "a length and bytes") }
    return range
  }

  // MARK: Errors

  func wrongType(_ field: Field, _ expected: String) -> SpecError {
    error(.wrongWireType, "field \(field.number) is encoded otherwise than as \(expected)", field)
  }

  func error(_ code: SpecError.Code, _ sentence: String, _ field: Field? = nil) -> SpecError {
    bytes.damaged(code, sentence, at: field?.range.lowerBound ?? 0)
  }

  /// The nested message in a range of this message's bytes.
  func inner(_ bytes: Bytes) throws -> Message {
    guard depth < Message.depthLimit else {
      throw error(.tooDeep, "messages are nested more than \(Message.depthLimit) deep")
    }
    return Message(bytes, depth: depth + 1)
  }
}

/// Collects the occurrences of one message.
struct Pieces {
  private var first: Range<Int>?
  private var others: [Range<Int>] = []

  mutating func add(_ range: Range<Int>) {
    if first == nil { first = range } else { others.append(range) }
  }

  /// A single occurrence is used in place. Several are concatenated in a copy.
  func message(in outer: Message) throws -> Message? {
    guard let first else { return nil }
    if others.isEmpty { return try outer.inner(outer.bytes.unchecked(first)) }
    return try outer.inner(outer.joined([first] + others))
  }
}
