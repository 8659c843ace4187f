import CoreMLServingInterface
import Testing

@testable import CoreMLServingWire

@Suite struct RequestTests {
  @Test func readsEveryField() throws {
    let request = try read(Golden.full)
    #expect(request.model == "m")
    #expect(request.version == "3")
    #expect(request.id == "r1")
    #expect(request.priority == 2)
    #expect(request.sequence?.id == "18446744073709551615")
    #expect(request.sequence?.isStart == true)
    #expect(request.sequence?.isEnd == false)
    let wait = try #require(request.deadline) - .now
    #expect(wait > .seconds(30) && wait <= .seconds(60))
    #expect(request.parameters == ["scale": .number(0.5), "note": .text("héllo")])
    #expect(request.inputs.map(\.name) == ["x", "y"])
    #expect(request.inputs[0].shape == [1, 2])
    #expect(request.inputs[0].elements(Float.self) == [1.5, -2])
    #expect(request.inputs[1].strings == [[97, 98], []])
    #expect(request.inputs[1].parameters == ["content_type": .text("str")])
    #expect(request.outputs.map(\.name) == ["probabilities", "label"])
    #expect(request.outputs.map(\.classification) == [3, 0])
  }

  @Test func readsTypedContents() throws {
    #expect(try read(Golden.bools).inputs[0].elements(UInt8.self) == [1, 0, 1])
    #expect(try read(Golden.int8).inputs[0].elements(Int8.self) == [-128, 127])
    #expect(try read(Golden.int16).inputs[0].elements(Int16.self) == [-300, 300])
    #expect(try read(Golden.int32).inputs[0].elements(Int32.self) == [-1, .max])
    #expect(try read(Golden.int64).inputs[0].elements(Int64.self) == [.min, 7])
    #expect(try read(Golden.uint8).inputs[0].elements(UInt8.self) == [0, 255])
    #expect(try read(Golden.uint16).inputs[0].elements(UInt16.self) == [.max])
    #expect(try read(Golden.uint32).inputs[0].elements(UInt32.self) == [.max])
    #expect(try read(Golden.uint64).inputs[0].elements(UInt64.self) == [.max])
    #expect(try read(Golden.float).inputs[0].elements(Float.self) == [1.5, -2])
    #expect(try read(Golden.double).inputs[0].elements(Double.self) == [1.5, -2])
    #expect(try read(Golden.strings).inputs[0].strings == [[97, 98], []])
    #expect(try read(Golden.scalar).inputs[0].elements(Int32.self) == [5])
    #expect(try read(Golden.scalar).inputs[0].shape == [])
    #expect(try read(Golden.empty).inputs[0].byteCount == 0)
    #expect(try read(Golden.half).inputs[0].elements(UInt16.self) == [0x3c00, 0xc000])
  }

  /// Elements one by one instead of packed, and contents in two pieces.
  @Test func joinsPieces() throws {
    var writer = WireWriter()
    writer.text(1, "m")
    writer.message(5) {
      $0.text(1, "x")
      $0.text(2, "INT32")
      $0.message(5) {
        $0.key(2, 0)
        $0.varint(1)
      }
      $0.key(3, 0)
      $0.varint(3)
      $0.message(5) { $0.packed(2, [2, 3]) }
    }
    #expect(try read(writer.bytes).inputs[0].elements(Int32.self) == [1, 2, 3])
  }

  @Test func alignsTensors() throws {
    let request = try read(Golden.full)
    guard case .elements(let memory) = request.inputs[0].content else {
      Issue.record("the input has no elements")
      return
    }
    #expect(UInt(bitPattern: memory.bytes.baseAddress) % 64 == 0)
  }

  @Test func findsTheIdentifierOfAWrongRequest() {
    let message = bytes(Golden.badNoModel)
    #expect(message.withUnsafeBytes { InferRequestReader().identifier($0) } == "r")
  }
}
