import CoreMLBase

/// A protobuf message: a range of bytes whose fields are looked up when they are asked for.
///
/// The rules are protobuf's: fields in any order; of a scalar the last one counts; a message that comes in several pieces is the pieces
/// joined (the encodings are concatenated, which is what protobuf's merging amounts to); repeated numbers may be packed, unpacked or
/// both; unknown fields are skipped; an absent field is zero or empty. One thing is stricter: a known field with another wire type than
/// its own is an error, where protobuf takes it for an unknown field.
///
/// A look-up goes over the fields of this message, not into them: ask once for what is needed often.
package struct Message: Sendable {
  /// How deep messages may be nested: protobuf's own limit.
  package static let depthLimit = 100

  package let bytes: Bytes
  /// How many messages this one is in.
  package let depth: Int

  /// The message that fills `bytes`.
  package init(_ bytes: Bytes) { self.init(bytes, depth: 0) }

  /// The message without fields.
  package init() { self.init(Bytes()) }

  init(_ bytes: Bytes, depth: Int) {
    self.bytes = bytes
    self.depth = depth
  }

  package typealias Field = WireCursor.Field

  /// Goes over all fields as they stand, known or not.
  package var fields: WireCursor { WireCursor(bytes) }

  /// The last field of that number.
  func last(_ number: Int) throws -> Field? {
    var found: Field?
    try scan(where: { Int($0) == number }) { found = $0 }
    return found
  }

  /// Calls `body` with every field of that number.
  func forEach(_ number: Int, _ body: (Field) throws -> Void) throws {
    try scan(where: { Int($0) == number }, body)
  }

  /// Whether there is a field of that number.
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

  /// An enumeration's value; one that this version does not know is an error.
  func value<E: RawRepresentable<Int32>>(_ number: Int, _ type: E.Type) throws -> E {
    let raw = try int32(number)
    guard let value = E(rawValue: raw) else {
      throw error(.unknownEnumValue, "\(raw) in field \(number) is no value of \(E.self)")
    }
    return value
  }

  /// The message in a field: the pieces joined where there are several, nil where there is none.
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

  /// The message in a range of this one's bytes.
  func inner(_ bytes: Bytes) throws -> Message {
    guard depth < Message.depthLimit else {
      throw error(.tooDeep, "messages are nested more than \(Message.depthLimit) deep")
    }
    return Message(bytes, depth: depth + 1)
  }
}

/// The pieces of one message as they are met.
struct Pieces {
  private var first: Range<Int>?
  private var others: [Range<Int>] = []

  mutating func add(_ range: Range<Int>) {
    if first == nil { first = range } else { others.append(range) }
  }

  /// One piece in place, several joined in a copy.
  func message(in outer: Message) throws -> Message? {
    guard let first else { return nil }
    if others.isEmpty { return try outer.inner(outer.bytes.unchecked(first)) }
    return try outer.inner(outer.joined([first] + others))
  }
}
