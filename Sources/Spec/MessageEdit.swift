import CoreMLBase

/// Changes a message, or creates a new one. Fields can be removed, replaced and added. All others are written
/// unchanged, including unknown fields.
///
/// Unchanged bytes are not copied. An edited model references the memory (or the mapped file) of the original, and
/// weights are written from there to the new file. Nested messages are changed by a nested `MessageEdit`:
///
///     var model = try MessageEdit(file.model.message)
///     try model.edit(2) { description in           // Model.description
///       try description.edit(100) { $0.set(4, .string("me")) }   // ModelDescription.metadata, Metadata.author
///     }
///     try ModelFile.write(model, to: "changed.mlmodel")
///
/// In a oneof, the last member wins. So code that sets one member must remove the others.
package struct MessageEdit: Sendable {
  /// The value of one field. For a repeated field, one of its elements, or many in packed form.
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
      /// A complete field in the original's bytes.
      case kept(WireCursor.Field)
      case made(ByteRope)
    }

    let number: Int
    let content: Content
  }

  private let original: Message
  private var fields: [Field] = []

  /// An empty message.
  package init() { original = Message() }

  /// Starts with an existing message. Scans its own fields once, but not those of nested messages.
  ///
  /// - Throws: `SpecError` if the bytes are damaged.
  package init(_ message: Message) throws {
    original = message
    try message.scan(where: { _ in true }) { fields.append(Field(number: $0.number, content: .kept($0))) }
  }

  // MARK: Changes

  /// Removes all fields with this number.
  package mutating func remove(_ number: Int) { fields.removeAll { $0.number == number } }

  /// Replaces the first field with this number by the values and removes the others. If there is none, appends the
  /// values.
  package mutating func set(_ number: Int, _ values: Value...) { set(number, values) }

  /// The same for any number of values. No values remove the field.
  package mutating func set(_ number: Int, _ values: [Value]) {
    let made = values.map { Field(number: number, content: .made(Self.encoded(number, $0))) }
    let place = fields.firstIndex { $0.number == number } ?? fields.endIndex
    fields.insert(contentsOf: made, at: place)
    let end = place + made.count
    fields[end...].removeAll { $0.number == number }
  }

  /// Appends a field.
  package mutating func append(_ number: Int, _ value: Value) {
    fields.append(Field(number: number, content: .made(Self.encoded(number, value))))
  }

  /// Edits the message in a non-repeated field. It starts empty if the field is absent, and merged if the field occurs
  /// several times.
  package mutating func edit(_ number: Int, _ body: (inout MessageEdit) throws -> Void) throws {
    let inner = try current().message(number)
    var edit = try inner.map { try MessageEdit($0) } ?? MessageEdit()
    try body(&edit)
    set(number, .message(edit))
  }

  /// Edits each message of a repeated field or of a map (`key` is field 1, `value` field 2). `body` gets its index.
  package mutating func editEach(_ number: Int, _ body: (Int, inout MessageEdit) throws -> Void) throws {
    let message = try current()
    let like = fields.indices.filter { fields[$0].number == number }
    for (place, field) in try zip(like.indices, message.all(number)) {
      var edit = try MessageEdit(message.inner(message.bytes(field)))
      try body(place, &edit)
      fields[like[place]] = Field(number: number, content: .made(Self.encoded(number, .message(edit))))
    }
  }

  /// The message in its current state. It is the original itself if no field was changed.
  private func current() throws -> Message {
    let isChanged = fields.contains { field in
      if case .made = field.content { return true }
      return false
    }
    return isChanged ? Message(bytes(), depth: original.depth) : original
  }

  // MARK: Encoding

  /// The size of the encoded message in bytes.
  package var count: Int { rope.count }

  /// The encoded message in memory.
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

  /// The encoded message in pieces. Adjacent unchanged fields are one piece.
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
  /// All fields with this number.
  fileprivate func all(_ number: Int) throws -> [Field] {
    var found: [Field] = []
    try forEach(number) { found.append($0) }
    return found
  }
}
