import CoreMLServingInterface
import Foundation
import Testing

@testable import CoreMLServingProtocol

/// Tensors that follow the JSON as bytes.
@Suite struct BinaryTests {
  static let head = Array(
    #"{"inputs":[{"name":"x","datatype":"FP32","shape":[2],"parameters":{"binary_data_size":8}},{"name":"j","datatype":"INT8","shape":[2],"data":[1,2]},{"name":"e","datatype":"INT8","shape":[0],"parameters":{"binary_data_size":0}},{"name":"s","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":11}}],"parameters":{"binary_data_output":true}}"#
      .utf8)
  static let tensors: [UInt8] = [0, 0, 128, 63, 0, 0, 0, 64] + [1, 0, 0, 0, 97] + [2, 0, 0, 0, 98, 99]

  @Test(arguments: [1, 2, 7, 8, 64, Int.max]) func piecesOfAnySize(_ piece: Int) throws {
    let request = try Requests.read(Self.head + Self.tensors, .binary(headLength: Self.head.count), piece: piece)
    #expect(request.inputs[0].values(Float.self) == [1, 2])
    #expect(request.inputs[1].values(Int8.self) == [1, 2])
    #expect(request.inputs[2].byteCount == 0)
    #expect(request.inputs[3].strings == ["a", "bc"])
    #expect(request.answerForm.isBinary)
    guard case .elements(let memory) = request.inputs[0].content else { return }
    #expect(UInt(bitPattern: memory.bytes.baseAddress) % 64 == 0)
  }

  @Test func everyOtherLengthIsRefused() {
    let whole = Self.head + Self.tensors
    for count in 0..<whole.count {
      #expect(throws: ServingError.self) {
        try Requests.read(Array(whole.prefix(count)), .binary(headLength: Self.head.count))
      }
    }
    #expect(throws: ServingError.self) { try Requests.read(whole + [0], .binary(headLength: Self.head.count)) }
    for length in [1, Self.head.count - 1, Self.head.count + 1, whole.count + 1, RequestAssembler.longestHead + 1] {
      #expect(throws: ServingError.self) { try Requests.read(whole, .binary(headLength: length)) }
    }
  }

  @Test(arguments: [
    (#""datatype":"FP32","shape":[2],"parameters":{"binary_data_size":7}"#, 7),
    (#""datatype":"FP32","shape":[4611686018427387904,16],"parameters":{"binary_data_size":64}"#, 64),
    (#""datatype":"FP32","shape":[2],"parameters":{"binary_data_size":9223372036854775807}"#, 8),
    (#""datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":9223372036854775807}"#, 8),
    (#""datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":8}"#, 8),
    (#""datatype":"BYTES","shape":[9],"parameters":{"binary_data_size":8}"#, 8),
    (#""datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":3}"#, 3),
  ]) func refusesSizes(_ fields: String, _ count: Int) {
    let head = Array(#"{"inputs":[{"name":"x",\#(fields)}]}"#.utf8)
    #expect(throws: ServingError.self) {
      try Requests.read(head + [UInt8](repeating: 255, count: count), .binary(headLength: head.count))
    }
  }

  @Test func theBodyAsTheOnlyInput() throws {
    let request = try Requests.read([UInt8](repeating: 0, count: 32), .raw)
    #expect(request.inputs[0].shape == [2, 4])
    #expect(request.answerForm.isBinary)
    for count in [0, 4, 17] {
      #expect(throws: ServingError.self) { try Requests.read([UInt8](repeating: 0, count: count), .raw) }
    }
    var model = Requests.model
    model.inputs[0] = ModelMetadata.Tensor(name: "x", type: .bytes, shape: [1])
    #expect(try Requests.read([104, 105], .raw, model: model).inputs[0].strings == ["hi"])
    model.inputs.append(ModelMetadata.Tensor(name: "z", type: .float32, shape: [1]))
    #expect(throws: ServingError.self) { try Requests.read([104, 105], .raw, model: model) }
    model.inputs[1].isOptional = true
    #expect(try Requests.read([104, 105], .raw, model: model).inputs.count == 1)
  }

  @Test func aPictureAsTheBody() throws {
    var model = Requests.model
    #expect(throws: ServingError.self) { try Requests.read([1], .picture, model: model) }
    model.inputs = [
      ModelMetadata.Tensor(
        name: "image", type: .uint8, shape: [1, 8, 8, 3], parameters: ["content_type": .text("image")])
    ]
    let request = try Requests.read([137, 80], .picture, model: model)
    #expect(request.inputs[0].name == "image")
    #expect(request.inputs[0].type == .bytes)
    #expect(!request.answerForm.isBinary)
  }
}
