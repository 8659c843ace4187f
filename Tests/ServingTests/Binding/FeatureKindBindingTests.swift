@testable import CoreMLServing
import CoreMLImages
import CoreMLRuntime
import CoreMLServingInterface
import FeatureFiles
import TestModels
import TestSupport
import Testing

@Suite struct FeatureKindBindingTests {
  private typealias M = BindingModels

  private let pixels: [UInt8] = (0..<18).map { UInt8($0 * 10) }

  private func inputs() throws -> [ServingTensor] {
    [
      try M.tensor("integer", .int64, [1], [Int64.max]),
      try M.tensor("number", .float64, [1], [0.1]),
      M.bytes("text", [Array("h\u{e9}llo".utf8)]),
      M.bytes("words", [Array(#"{"a": 1.5, "b": 2}"#.utf8)]),
      M.bytes("numbers", [Array(#"{"3": 0.5}"#.utf8)]),
      M.bytes("texts", [Array("x".utf8), Array("y".utf8)]),
      try M.tensor("integers", .int64, [3], [1, -2, 3] as [Int64]),
      try M.tensor("colour", .uint8, [1, 2, 3, 3], pixels),
      try M.tensor("gray", .uint8, [1, 2, 3, 1], Array(pixels.prefix(6))),
      try M.tensor("gray16", .float16, [1, 2, 3, 1], (0..<6).map { Float16($0) }),
    ]
  }

  @Test func everyKindComesBack() throws {
    let outputs = try M.kinds().predict(try inputs())
    func output(_ name: String) -> ServingTensor? { outputs.first { $0.name == name } }
    #expect(M.values(output("integer"), as: Int64.self) == [Int64.max])
    #expect(M.values(output("number"), as: Double.self) == [0.1])
    #expect(M.strings(output("text")) == ["h\u{e9}llo"])
    #expect(M.strings(output("texts")) == ["x", "y"])
    #expect(M.values(output("integers"), as: Int64.self) == [1, -2, 3])
    #expect(output("colour")?.shape == [1, 2, 3, 3] && M.values(output("colour"), as: UInt8.self) == pixels)
    #expect(M.values(output("gray"), as: UInt8.self) == Array(pixels.prefix(6)))
    #expect(output("gray16")?.type == .float16)
    #expect(M.values(output("gray16"), as: Float16.self) == (0..<6).map { Float16($0) })
    var words = Array((M.strings(output("words"))?.first ?? "").utf8)
    let json = try words.withUnsafeMutableBytes { try JSONValue(UnsafeRawBufferPointer($0)) }
    guard case .object(let members) = json else { throw ServingError(.failed, "no object") }
    #expect(members.mapValues(\.double) == ["a": 1.5, "b": 2])
  }

  @Test func imagesComeAsFilesToo() throws {
    let model = try M.kinds()
    let image = try PixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
    image.withUnsafeMutableBytes { bytes in
      for place in 0..<6 {
        bytes[place * 4] = pixels[place * 3 + 2]
        bytes[place * 4 + 1] = pixels[place * 3 + 1]
        bytes[place * 4 + 2] = pixels[place * 3]
        bytes[place * 4 + 3] = 255
      }
    }
    let png = try ImageFiles.png(image)
    func run(_ file: [UInt8], _ requested: RequestedOutput, fit: ParameterValue? = nil) throws -> ServingTensor {
      var inputs = try inputs()
      inputs[7] = M.bytes("colour", [file])
      if let fit { inputs[7].parameters["fit"] = fit }
      return try model.predict(inputs, [requested])[0]
    }
    let decoded = try run(png, RequestedOutput(name: "colour"))
    #expect(M.values(decoded, as: UInt8.self) == pixels)
    let file = try run(png, RequestedOutput(name: "colour", parameters: ["format": .text("png")]))
    #expect(file.type == .bytes && file.shape == [1])
    guard case .byteStrings(let strings) = file.content else { throw ServingError(.failed, "no bytes") }
    let again = try run(strings[0], RequestedOutput(name: "colour"))
    #expect(M.values(again, as: UInt8.self) == pixels)
    for bad in [
      { _ = try run([1, 2, 3], RequestedOutput(name: "colour")) },
      { _ = try run(png, RequestedOutput(name: "colour"), fit: .text("squash")) },
      { _ = try run(png, RequestedOutput(name: "colour", parameters: ["format": .text("bmp")])) },
    ] {
      let error = #expect(throws: ServingError.self) { try bad() }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func metadataTellsKinds() throws {
    let metadata = try M.kinds().binding.metadata(name: "m", versions: ["1"])
    func input(_ name: String) -> ModelMetadata.Tensor? { metadata.inputs.first { $0.name == name } }
    #expect(input("colour")?.type == .uint8 && input("colour")?.shape == [1, 2, 3, 3])
    #expect(input("colour")?.parameters["content_type"] == .text("image"))
    #expect(input("gray16")?.type == .float16)
    #expect(input("texts")?.type == .bytes && input("texts")?.shape == [-1])
    #expect(input("words")?.parameters["content_type"] == .text("json"))
  }

  @Test func textMustBeUTF8() throws {
    var inputs = try inputs()
    inputs[2] = M.bytes("text", [[0xff, 0xfe]])
    let error = #expect(throws: ServingError.self) { try M.kinds().predict(inputs) }
    #expect(error?.message == "The input 'text' expects text in UTF-8, found other bytes.")
  }

  @Test func aBadPictureFailsAlone() throws {
    let model = try M.kinds()
    var bad = try inputs()
    bad[7] = M.bytes("colour", [[1, 2, 3]])
    let batch = [try inputs(), bad, try inputs()].map { PreparedRequest(InferenceRequest(model: "m", inputs: $0)) }
    let rows = try model.run(batch).rows
    #expect(rows.map { if case .success = $0 { true } else { false } } == [true, false, true])
  }

  @Test func flexibleShapesAreOpen() throws {
    let model = try M.bound(
      FeatureModels.model(
        500, [.flexible("x", [1, 4], [(1, 1), (2, 8)])], [.floats("y", [1, 4])]
      ) { network in
        network.append(1, bytes: Net.add("x", 1, "y"))
        network.append(5, int: 1)
      })
    #expect(model.binding.inputs[0].metadata.shape == [1, -1])
    let outputs = try model.predict([M.tensor("x", .float32, [1, 3], [1, 2, 3] as [Float])])
    #expect(outputs[0].shape == [1, 3] && M.values(outputs[0], as: Float.self) == [2, 3, 4])
    #expect(throws: ServingError.self) {
      try model.predict([M.tensor("x", .float32, [1, 9], [Float](repeating: 0, count: 9))])
    }
  }

  @Test func optionalInputsMayBeMissing() throws {
    let model = try M.bound(FeatureModels.model(900, [.double("x").optional, .double("z")], [.double("z")]))
    #expect(model.binding.inputs.map(\.metadata.isOptional) == [true, false])
    let outputs = try model.predict([M.tensor("z", .float64, [1], [3.0])])
    #expect(M.values(outputs.first, as: Double.self) == [3])
  }

  @Test func statesChangeTheAnswer() throws {
    let model = try M.bound(Checkout.cases.appending(path: "text/model/stateful.mlpackage"))
    #expect(model.binding.isStateful)
    func step(_ token: Int32, _ length: Int, _ state: SequenceState) throws -> [Float]? {
      let outputs = try model.predict(
        [
          M.tensor("input_ids", .int32, [1, 1], [token]),
          M.tensor("causal_mask", .float32, [1, 1, 1, length], [Float](repeating: 0, count: length)),
        ], sequence: state)
      return M.values(outputs.first, as: Float.self)
    }
    let state = SequenceState(model.model.makeState())
    let first = try #require(try step(5, 1, state))
    let second = try #require(try step(5, 2, state))
    #expect(first != second)
    let fresh = try step(5, 1, SequenceState(model.model.makeState()))
    #expect(fresh == first)
  }
}
