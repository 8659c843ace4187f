import CoreMLBase
import Testing

@testable import CoreMLSpec

@Suite struct MessageEditTests {
  private static func model() throws -> Message {
    message { writer in
      writer.append(1, int: 4)
      writer.append(2) { description in
        description.append(1) { $0.append(1, string: "x") }
        description.append(1) { $0.append(1, string: "z") }
        description.append(10) { $0.append(1, string: "y") }
      }
      writer.append(77777, string: "of a later version")
      writer.append(900) { _ in }
    }
  }

  private static func model(_ edit: MessageEdit) throws -> Specification.Model {
    try ModelFile(edit.bytes()).model
  }

  @Test func untouchedIsTheSameBytes() throws {
    let model = try Self.model()
    #expect(try MessageEdit(model).bytes() == model.bytes)
    var edit = try MessageEdit(model)
    try edit.edit(2) { _ in }
    #expect(edit.bytes() == model.bytes && edit.count == model.bytes.count)
  }

  @Test func innerMessagesAreChangedInPlace() throws {
    var edit = try MessageEdit(Self.model())
    try edit.edit(2) { description in
      try description.editEach(1) { place, input in
        input.set(1, .string("input \(place)"))
        input.append(2, .string("said of it"))
      }
      try description.edit(100) { $0.set(4, .string("author")) }
    }
    edit.set(1, .int(5))
    let changed = try Self.model(edit)
    #expect(try changed.specificationVersion == 5)
    let description = try #require(try changed.description)
    #expect(try description.input.map { try $0.name } == ["input 0", "input 1"])
    #expect(try description.input.map { try $0.shortDescription } == ["said of it", "said of it"])
    #expect(try description.output.map { try $0.name } == ["y"])
    #expect(try description.metadata?.versionString == "" && description.metadata?.message.string(4) == "author")
    #expect(try changed.message.string(77777) == "of a later version")
    #expect(try changed.identity != nil)
  }

  @Test func fieldsKeepTheirOrder() throws {
    var edit = try MessageEdit(Self.model())
    edit.set(77777, .string("changed"))
    edit.append(5, .bool(true))
    var cursor = Message(edit.bytes()).fields
    var numbers: [Int] = []
    while let field = try cursor.next() { numbers.append(field.number) }
    #expect(numbers == [1, 2, 77777, 900, 5])
  }

  @Test func manyReplaceMany() throws {
    var edit = try MessageEdit(
      message { writer in for value in ["a", "b", "c"] { writer.append(3, string: value) } })
    edit.set(3, [.string("d"), .string("e")])
    #expect(try Message(edit.bytes()).strings(3) == ["d", "e"])
    edit.set(3, [])
    #expect(edit.count == 0)
    edit.set(3, .string("f"))
    edit.remove(3)
    #expect(edit.bytes().isEmpty)
  }

  @Test func messagesInPiecesBecomeOne() throws {
    var edit = try MessageEdit(
      message { writer in
        writer.append(2) { $0.append(1, int: 1) }
        writer.append(9, int: 9)
        writer.append(2) { $0.append(3, int: 3) }
      })
    try edit.edit(2) { $0.set(1, .int(7)) }
    let changed = Message(edit.bytes())
    let inner = try #require(try changed.message(2))
    #expect(try inner.int32(1) == 7 && inner.int32(3) == 3)
    var count = 0
    try changed.forEach(2) { _ in count += 1 }
    #expect(count == 1)
  }

  @Test func everyKindOfValue() throws {
    var edit = MessageEdit()
    let bytes = Bytes((0..<200).map { UInt8($0) })
    edit.append(1, .int(-1))
    edit.append(2, .uint(.max))
    edit.append(3, .float(-0.5))
    edit.append(4, .double(.pi))
    edit.append(5, .bytes(bytes))
    edit.append(6, .ints([1, -1, 300]))
    edit.append(7, .floats([1, .infinity]))
    edit.append(8, .doubles([-0.0]))
    edit.append(9, .bool(true))
    edit.append(10, .message(MessageEdit()))
    let made = Message(edit.bytes())
    #expect(try made.int64(1) == -1 && made.uint64(2) == .max && made.float(3) == -0.5 && made.double(4) == .pi)
    #expect(try made.bytes(5) == bytes && made.int64s(6) == [1, -1, 300] && made.floats(7) == [1, .infinity])
    #expect(try made.doubles(8).map(\.sign) == [.minus] && made.bool(9) && made.message(10)?.bytes.isEmpty == true)
  }

  @Test func weightsAreNotCopied() throws {
    try inTemporaryFolder { folder in
      let weights = [UInt8](repeating: 7, count: 1 << 20)
      try put(
        message { writer in
          writer.append(1, int: 4)
          writer.append(500) { $0.append(1) { $0.append(140) { $0.append(20) { $0.append(30, bytes: weights) } } } }
        }.bytes.array, "\(folder)/model.mlmodel")
      let file = try ModelFile.open("\(folder)/model.mlmodel")
      var edit = try MessageEdit(file.model.message)
      try edit.edit(500) { try $0.editEach(1) { $1.set(1, .string("renamed")) } }
      let kept = edit.rope.pieces.compactMap { piece -> Int? in
        guard case .kept(let bytes) = piece, bytes.storage === file.model.message.bytes.storage else { return nil }
        return bytes.count
      }
      #expect(kept.reduce(0, +) > weights.count)
      // Replaces the file that it is read from.
      try ModelFile.write(edit, to: "\(folder)/model.mlmodel")
      let layer = try #require(try ModelFile.open("\(folder)/model.mlmodel").model.neuralNetwork?.layers.first)
      #expect(try layer.name == "renamed" && layer.innerProduct?.weights?.rawValue.array == weights)
    }
  }

  @Test func damagedMessagesAreRefused() throws {
    expectError(.truncated) { try MessageEdit(message(0x0a, 5)) }
    var edit = try MessageEdit(message(0x0a, 1, 0x80))
    expectError(.truncated) { try edit.edit(1) { _ in } }
    expectError(.truncated) { try edit.editEach(1) { _, _ in } }
    expectError(.wrongWireType) {
      var edit = try MessageEdit(message(0x08, 1))
      try edit.edit(1) { _ in }
    }
  }
}
