import CoreMLBase

/// A message that is being changed, or made anew: fields are taken away, replaced and added, and what is not touched is written as it
/// stands, unknown fields included.
///
/// Nothing that stands is copied: a changed model holds on to the memory (or the mapped file) of the one that it was read from, and weights go
/// from there to the new file. A change of an inner message is a change of a `MessageEdit` of its own:
///
///     var model = try MessageEdit(file.model.message)
///     try model.edit(2) { description in           // Model.description
///       try description.edit(100) { $0.set(4, .string("me")) }   // ModelDescription.metadata, Metadata.author
///     }
///     try ModelFile.write(model, to: "changed.mlmodel")
///
/// Of a oneof the member that stands last counts: whoever sets one removes the others.
package struct MessageEdit: Sendable {
  /// The value of one field: of a repeated field one of its elements, or many in packed form.
  package enum Value: Sendable {
    /// An int32, int64 or enumeration.
    case int(Int64)
    case uint(UInt64)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case bytes(Bytes)
    case message(MessageEdit)
    case ints([Int64])
    case floats([Float])
    case doubles([Double])
  }

  private struct Field: Sendable {
    enum Content: Sendable {
      /// The whole field in the original's bytes.
      case kept(WireCursor.Field)
      case made(ByteRope)
    }

    let number: Int
    let content: Content
  }

  private let original: Message
  private var fields: [Field] = []

  /// A message without fields.
  package init() { original = Message() }

  /// A message as it stands. Its own fields are gone over once, those of inner messages are not.
  ///
  /// - Throws: `SpecError` where the bytes are damaged.
  package init(_ message: Message) throws {
    original = message
    try message.scan(where: { _ in true }) { fields.append(Field(number: $0.number, content: .kept($0))) }
  }

  // MARK: Changes

  /// Takes away every field of that number.
  package mutating func remove(_ number: Int) { fields.removeAll { $0.number == number } }

  /// Puts values in the place of the first field of that number, at the end where there is none, and takes the others away.
  package mutating func set(_ number: Int, _ values: Value...) { set(number, values) }

  /// The same for any number of values; none removes the field.
  package mutating func set(_ number: Int, _ values: [Value]) {
    let made = values.map { Field(number: number, content: .made(Self.encoded(number, $0))) }
    let place = fields.firstIndex { $0.number == number } ?? fields.endIndex
    fields.insert(contentsOf: made, at: place)
    let end = place + made.count
    fields[end...].removeAll { $0.number == number }
  }

  /// Adds a field after all others.
  package mutating func append(_ number: Int, _ value: Value) {
    fields.append(Field(number: number, content: .made(Self.encoded(number, value))))
  }

  /// Changes the message in a field that is not repeated: an empty one where there is none, one where it comes in pieces.
  package mutating func edit(_ number: Int, _ body: (inout MessageEdit) throws -> Void) throws {
    let inner = try current().message(number)
    var edit = try inner.map { try MessageEdit($0) } ?? MessageEdit()
    try body(&edit)
    set(number, .message(edit))
  }

  /// Changes every message of a repeated field, or of a map (`key` is field 1, `value` field 2). `body` gets its place, from 0 on.
  package mutating func editEach(_ number: Int, _ body: (Int, inout MessageEdit) throws -> Void) throws {
    let message = try current()
    let like = fields.indices.filter { fields[$0].number == number }
    for (place, field) in try zip(like.indices, message.all(number)) {
      var edit = try MessageEdit(message.inner(message.bytes(field)))
      try body(place, &edit)
      fields[like[place]] = Field(number: number, content: .made(Self.encoded(number, .message(edit))))
    }
  }

  /// The message as it is now: the original itself as long as none of its fields was changed.
  private func current() throws -> Message {
    let isChanged = fields.contains { field in
      if case .made = field.content { return true }
      return false
    }
    return isChanged ? Message(bytes(), depth: original.depth) : original
  }

  // MARK: Encoding

  /// How many bytes the message takes.
  package var count: Int { rope.count }

  /// The message in memory.
  package func bytes() -> Bytes {
    let rope = self.rope
    return Bytes(count: rope.count, file: original.bytes.file) { memory in
      var place = 0
      rope.forEach { piece in
        UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + piece.count]).copyMemory(from: piece)
        place += piece.count
      }
    }
  }

  /// The message in pieces; fields that stand beside each other are one.
  var rope: ByteRope {
    var rope = ByteRope()
    var run = 0..<0
    for field in fields {
      switch field.content {
      case .kept(let kept) where kept.range.lowerBound == run.upperBound:
        run = run.lowerBound..<kept.range.upperBound
      case .kept(let kept):
        rope.append(original.bytes.unchecked(run))
        run = kept.range
      case .made(let made):
        rope.append(original.bytes.unchecked(run))
        run = run.upperBound..<run.upperBound
        rope.append(made)
      }
    }
    rope.append(original.bytes.unchecked(run))
    return rope
  }

  private static func encoded(_ number: Int, _ value: Value) -> ByteRope {
    var writer = WireWriter()
    var inside: ByteRope?
    switch value {
    case .int(let value): writer.append(number, int: value)
    case .uint(let value): writer.append(number, uint: value)
    case .bool(let value): writer.append(number, bool: value)
    case .float(let value): writer.append(number, float: value)
    case .double(let value): writer.append(number, double: value)
    case .string(let value): writer.append(number, string: value)
    case .ints(let values): writer.append(number, packed: values)
    case .floats(let values): writer.append(number, packed: values)
    case .doubles(let values): writer.append(number, packed: values)
    case .bytes(let bytes):
      var rope = ByteRope()
      rope.append(bytes)
      inside = rope
    case .message(let message): inside = message.rope
    }
    if let inside { writer.append(number, lengthOf: inside.count) }
    var rope = ByteRope()
    rope.append(writer.bytes)
    if let inside { rope.append(inside) }
    return rope
  }
}

extension Message {
  /// Every field of that number.
  fileprivate func all(_ number: Int) throws -> [Field] {
    var found: [Field] = []
    try forEach(number) { found.append($0) }
    return found
  }
}
