import CoreMLServingInterface
import Testing

@testable import CoreMLServingWire

@Suite struct AnswerTests {
  private func tensor<Element>(_ name: String, _ type: TensorType, _ elements: [Element]) throws -> ServingTensor {
    let memory = try elements.withUnsafeBytes { source in
      let memory = try TensorMemory(byteCount: source.count)
      memory.bytes.copyMemory(from: source)
      return memory
    }
    return ServingTensor(name: name, type: type, shape: [elements.count], content: .elements(memory))
  }

  @Test func writesWhatPythonWrites() throws {
    var numbers = try tensor("z", .float32, [1.5, -2] as [Float])
    numbers.shape = [1, 2]
    numbers.parameters["exact"] = .bool(true)
    let strings = ServingTensor(name: "s", type: .bytes, shape: [2], content: .byteStrings([[97, 98], []]))
    let answer = InferenceAnswer(model: "m", version: "3", id: "r1", outputs: [numbers, strings])
    #expect(written(InferAnswerWriter(answer)) == bytes(Golden.answer))
  }

  @Test func writesStreams() throws {
    let answer = InferenceAnswer(
      model: "m", version: "3", id: nil, outputs: [try tensor("z", .uint8, [1, 2, 3] as [UInt8])])
    #expect(written(InferAnswerWriter(stream: answer)) == bytes(Golden.streamAnswer))
    let failure = InferAnswerWriter(error: "no", model: "m", version: nil, id: "r1")
    #expect(written(failure) == bytes(Golden.streamFailure))
  }

  @Test func writesParametersOfEveryKind() throws {
    let values: [String: ParameterValue] = [
      "a": .bool(false), "b": .integer(-5), "c": .number(0.25), "d": .text(""),
    ]
    let tensor = ServingTensor(name: "z", type: .bytes, shape: [0], content: .byteStrings([]), parameters: values)
    let message = written(InferAnswerWriter(InferenceAnswer(model: "m", version: "", id: nil, outputs: [tensor])))
    // An output has the fields of an input, so the reader of requests reads it back.
    let found = try read(Array(message.dropLast(2)))
    #expect(found.inputs.map(\.parameters) == [values])
  }
}
