import CoreMLBase
import Testing

@testable import CoreMLSpec

@Suite struct WireTests {
  @Test func whatIsWrittenIsRead() throws {
    let message = message { writer in
      writer.append(1, int: -1)
      writer.append(2, uint: .max)
      writer.append(3, bool: true)
      writer.append(4, float: -1.5)
      writer.append(5, double: .pi)
      writer.append(6, string: "Grüße 😀")
      writer.append(7, bytes: [0, 255])
      writer.append(8) { inner in
        inner.append(1, int: 42)
        inner.append(2) { $0.append(536_870_911, string: "deep") }
      }
      writer.append(9, packed: [Int64(-1), 0, 300])
      writer.append(10, packed: [Float(1), 2])
      writer.append(11, packed: [Double(3)])
    }
    #expect(try message.int32(1) == -1)
    #expect(try message.int64(1) == -1)
    #expect(try message.uint64(2) == .max)
    #expect(try message.bool(3))
    #expect(try message.float(4) == -1.5)
    #expect(try message.double(5) == .pi)
    #expect(try message.string(6) == "Grüße 😀")
    #expect(try message.bytes(7).array == [0, 255])
    #expect(try message.message(8)?.int32(1) == 42)
    #expect(try message.message(8)?.message(2)?.string(536_870_911) == "deep")
    #expect(try message.int64s(9) == [-1, 0, 300])
    #expect(try message.int32s(9) == [-1, 0, 300])
    #expect(try message.floats(10) == [1, 2])
    #expect(try message.doubles(11) == [3])
    #expect(try message.has(11) && !message.has(12))
  }

  @Test func absentFieldsAreZeroOrEmpty() throws {
    let message = Message()
    #expect(try message.int64(1) == 0)
    #expect(try message.string(1) == "")
    #expect(try message.bytes(1).isEmpty)
    #expect(try message.message(1) == nil)
    #expect(try message.floats(1).isEmpty && message.floatBytes(1).isEmpty)
    #expect(try message.strings(1).isEmpty)
  }

  @Test func theLastScalarCounts() throws {
    let message = message { writer in
      for value in [5, 7] { writer.append(1, int: Int64(value)) }
      for value in ["a", "b"] { writer.append(2, string: value) }
    }
    #expect(try message.int32(1) == 7)
    #expect(try message.string(2) == "b")
    #expect(try message.strings(2) == ["a", "b"])
  }

  @Test func piecesOfAMessageAreJoined() throws {
    let message = message { writer in
      writer.append(1) { $0.append(1, int: 1) }
      writer.append(2, int: 0)
      writer.append(1) { $0.append(2, int: 2) }
      writer.append(1) { $0.append(1, int: 3) }
    }
    let joined = try #require(try message.message(1))
    #expect(try joined.int32(1) == 3)
    #expect(try joined.int32(2) == 2)
    #expect(joined.depth == 1)
  }

  @Test func packedUnpackedAndSplitRunsAreOne() throws {
    let message = message { writer in
      writer.append(1, int: 1)
      writer.append(1, packed: [Int64(2), 3])
      writer.append(1, packed: [Int64]())
      writer.append(1, int: 4)
      writer.append(2, float: 1)
      writer.append(2, packed: [Float(2), 3])
      writer.append(2, float: 4)
    }
    #expect(try message.int32s(1) == [1, 2, 3, 4])
    #expect(try message.floats(2) == [1, 2, 3, 4])
    #expect(try message.floatBytes(2).count == 16)
  }

  @Test func onePackedRunIsReadInPlace() throws {
    let message = message { writer in
      writer.append(1, packed: [Float](repeating: 1, count: 100))
      writer.append(1, packed: [Float]())
      writer.append(2, packed: [Double(1)])
    }
    #expect(try message.floatBytes(1).storage === message.bytes.storage)
    #expect(try message.doubleBytes(2).storage === message.bytes.storage)
    #expect(try message.floats(1).count == 100)
  }

  @Test func aOneofIsItsLastMember() throws {
    let numbers = [1, 2, 3]
    let message = message { writer in
      writer.append(1) { $0.append(1, int: 1) }
      writer.append(2, int: 8)
      writer.append(1) { $0.append(2, int: 2) }
      writer.append(4, int: 0)
      writer.append(1) { $0.append(3, int: 3) }
    }
    let member = try #require(try message.member(of: numbers))
    #expect(member.number == 1)
    // The other member of the oneof cleared the first part.
    #expect(try member.message().int32(1) == 0)
    #expect(try member.message().int32(2) == 2)
    #expect(try member.message().int32(3) == 3)
    #expect(try message.member(2, of: numbers) == nil)
    #expect(try Message().member(of: numbers) == nil)
  }

  @Test func aMapKeepsTheLastValueOfAKey() throws {
    let message = message { writer in
      for (key, value) in [("b", 1), ("a", 2), ("b", 3)] {
        writer.append(1) {
          $0.append(1, string: key)
          $0.append(2, int: Int64(value))
        }
      }
      writer.append(1) { _ in }
    }
    let map = Specification.StringToInt64Map(message)
    #expect(try map.map == ["": 0, "a": 2, "b": 3])
    #expect(try map.mapInOrder.map(\.key) == ["b", "a", ""])
    #expect(try map.mapInOrder.map(\.value) == [3, 2, 0])
  }

  @Test func fieldsAreCopiedAsTheyStand() throws {
    let source = message { writer in
      writer.append(1, int: 1)
      writer.append(77, double: 2)
      writer.append(3, string: "kept")
    }
    var writer = WireWriter()
    var cursor = source.fields
    while let field = try cursor.next() {
      if field.number == 1 { writer.append(1, int: 9) } else { try writer.append(copyOf: field, in: source) }
    }
    let copy = Message(Bytes(writer.bytes))
    #expect(try copy.int32(1) == 9 && copy.double(77) == 2 && copy.string(3) == "kept")
    #expect(copy.bytes.count == source.bytes.count)
  }
}
