import CoreMLBase
import SpecDump
import Testing

@testable import CoreMLSpec

@Suite struct DamageTests {
  @Test func truncatedFields() {
    expectError(.truncated) { try message(0x08).int32(1) }
    expectError(.truncated) { try message(0x08, 0x80).int32(1) }
    expectError(.truncated) { try message(0x80).int32(1) }
    expectError(.truncated) { try message(0x0a, 0x02, 0x41).string(1) }
    expectError(.truncated) { try message(0x0d, 1, 2, 3).float(1) }
    expectError(.truncated) { try message(0x09, 1, 2, 3, 4, 5, 6, 7).double(1) }
    // Reading another field meets the damaged field on the way.
    expectError(.truncated) { try message(0x08, 0x01, 0x12, 0x05).int32(1) }
  }

  @Test func lengthsAreNotBelieved() {
    expectError(.truncated) {
      try message(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01).bytes(1)
    }
    expectError(.truncated) { try message(0x0a, 0xff, 0xff, 0xff, 0xff, 0x07).floats(1) }
  }

  @Test func varints() throws {
    let most: [UInt8] = [0x08] + [UInt8](repeating: 0xff, count: 9) + [0x01]
    #expect(try Message(Bytes(most)).uint64(1) == .max)
    expectError(.malformedVarint) { try Message(Bytes([0x08] + [UInt8](repeating: 0xff, count: 9) + [0x02])).uint64(1) }
    expectError(.malformedVarint) {
      try Message(Bytes([0x08] + [UInt8](repeating: 0x80, count: 10) + [0x01])).uint64(1)
    }
    // An overlong varint is valid protobuf.
    #expect(try message(0x08, 0x81, 0x80, 0x00).uint64(1) == 1)
    // An int32 is the low half of the varint, as in protobuf.
    #expect(try message(0x08, 0x85, 0x80, 0x80, 0x80, 0x10).int32(1) == 5)
  }

  @Test func tags() {
    expectError(.malformedTag) { try message(0x00, 0x00).int32(1) }
    expectError(.malformedTag) { try message(0x0e, 0x00).int32(1) }
    expectError(.malformedTag) { try message(0x80, 0x80, 0x80, 0x80, 0x10, 0x00).int32(1) }
    expectError(.group) { try message(0x0b, 0x0c).int32(1) }
    expectError(.group) { try message(0x0c).int32(2) }
  }

  @Test func wireTypes() {
    expectError(.wrongWireType) { try message(0x0d, 0, 0, 0, 0).int32(1) }
    expectError(.wrongWireType) { try message(0x08, 1).string(1) }
    expectError(.wrongWireType) { try message(0x08, 1).float(1) }
    expectError(.wrongWireType) { try message(0x08, 1).message(1) }
    expectError(.wrongWireType) { try message(0x08, 1).floats(1) }
    expectError(.wrongWireType) { try message(0x0d, 0, 0, 0, 0).int32s(1) }
    expectError(.wrongWireType) { try message(0x0d, 0, 0, 0, 0).doubles(1) }
    expectError(.wrongWireType) { try message(0x08, 1).member(of: [1])?.message() }
  }

  @Test func packedRunsOfHalfAValue() {
    expectError(.truncated) { try message(0x0a, 3, 0, 0, 0).floats(1) }
    expectError(.truncated) { try message(0x0a, 4, 0, 0, 0, 0).doubles(1) }
    expectError(.truncated) { try message(0x0a, 2, 0x01, 0x80).int32s(1) }
  }

  @Test func strings() {
    expectError(.invalidUTF8) { try message(0x0a, 1, 0xff).string(1) }
    expectError(.invalidUTF8) { try message(0x0a, 2, 0xc0, 0x80).strings(1) }
  }

  @Test func enumerations() throws {
    #expect(try Specification.SamePadding(message(0x08, 1)).asymmetryMode == .topLeftHeavy)
    #expect(try Specification.SamePadding().asymmetryMode == .bottomRightHeavy)
    let error = expectError(.unknownEnumValue) { try Specification.SamePadding(message(0x08, 99)).asymmetryMode }
    #expect(error?.message.contains("99") == true && error?.message.contains("SamePaddingMode") == true)
  }

  @Test func nestingIsLimited() throws {
    // Model.pipeline.models[0] ..., with 2 messages per level.
    func nested(_ levels: Int) -> Message {
      var bytes: [UInt8] = []
      for _ in 0..<levels {
        var writer = WireWriter()
        writer.append(1, bytes: bytes)
        bytes = writer.bytes
      }
      return Message(Bytes(bytes))
    }
    func depth(_ message: Message) throws -> Int {
      var (message, depth) = (message, 0)
      while let inner = try message.message(1) { (message, depth) = (inner, depth + 1) }
      return depth
    }
    #expect(try depth(nested(Message.depthLimit)) == Message.depthLimit)
    expectError(.tooDeep) { try depth(nested(Message.depthLimit + 1)) }
  }

  @Test func errorsSayWhere() throws {
    let error = expectError(.truncated) { try message(0x08, 0x01, 0x12, 0x05).int32(1) }
    #expect(error?.message == "damaged at byte 2: field 2 states 5 bytes and its message has 0 left")
  }

  /// Every accessor of every message, on random bytes and on damaged messages, returns a value or throws an error. It
  /// never traps.
  @Test func noAccessorTrapsOnAnyBytes() throws {
    var dice = Dice(state: 7)
    var (read, refused) = (0, 0)
    for (_, function) in Dump.functions.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<40 {
        var writer = WireWriter()
        for _ in 0..<Int.random(in: 0..<6, using: &dice) {
          let number = Int.random(in: 1...20, using: &dice)
          switch Int.random(in: 0..<4, using: &dice) {
          case 0:
            writer.append(
              number, uint: .random(in: 0 ... .max >> UInt64.random(in: 0..<64, using: &dice), using: &dice))
          case 1: writer.append(number, float: 1)
          case 2: writer.append(number, double: 1)
          default:
            let count = Int.random(in: 0..<16, using: &dice)
            writer.append(number, bytes: (0..<count).map { _ in UInt8.random(in: 0..<32, using: &dice) })
          }
        }
        var bytes = writer.bytes
        if !bytes.isEmpty, Bool.random(using: &dice) {
          bytes[Int.random(in: 0..<bytes.count, using: &dice)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &dice)
        }
        do {
          try function(Dump(), Message(Bytes(bytes)))
          read += 1
        } catch is SpecError {
          refused += 1
        }
      }
    }
    #expect(read > 1000 && refused > 1000)
  }
}
