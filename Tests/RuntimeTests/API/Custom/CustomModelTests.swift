import CoreMLBase
import CoreMLImages
import Foundation
import TestModels
import Testing

@testable import CoreMLRuntime

/// Custom models alone and in pipelines, with features of every type.
@Suite struct CustomModelTests {
  typealias F = FeatureModels
  typealias C = CustomModels

  static var kinds: [F.Feature] {
    [
      .double("double"), .int64("int64"), .string("string"), .array("array", [2, 3]), .dictionary("words"),
      .dictionary("numbers", integers: true), .strings("strings"), .integers("integers"), .image("picture", 3, 2),
    ]
  }

  static func values() throws -> [String: Any] {
    let picture = try PixelBuffer(width: 3, height: 2, pixelFormatType: kCVPixelFormatType_32BGRA)
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<2 { for x in 0..<12 { bytes[y * picture.bytesPerRow + x] = x % 4 == 3 ? 255 : UInt8(y * 100 + x) } }
    }
    return [
      "double": 2.5, "int64": Int64.max, "string": "a word",
      "array": try MLMultiArray(shape: [2, 3], dataType: .double),
      "words": try MLFeatureValue(dictionary: ["a": 0.5]), "numbers": try MLFeatureValue(dictionary: [7: 1.5]),
      "strings": MLFeatureValue(sequence: MLSequence(strings: ["x", "", "z"])),
      "integers": MLFeatureValue(sequence: MLSequence(int64s: [NSNumber(value: Int64.min), 4])),
      "picture": MLFeatureValue(pixelBuffer: picture),
    ]
  }

  static func mirror(_ className: String, _ features: [F.Feature]) -> [UInt8] {
    C.model(className, features, features.map { F.Feature(name: "out " + $0.name, type: $0.type) })
  }

  private func expectMirrored(_ result: any MLFeatureProvider, before: String, _ values: [String: Any]) throws {
    func value(_ name: String) -> MLFeatureValue? { result.featureValue(for: before + name) }
    #expect(value("double")?.doubleValue == 2.5 && value("int64")?.int64Value == .max)
    #expect(
      value("string")?.stringValue == "a word" && result.numbers(before + "array") == Array(repeating: 0, count: 6))
    #expect(value("words")?.dictionaryValue["a"] == 0.5 && value("numbers")?.dictionaryValue[Int64(7)] == 1.5)
    #expect(value("strings")?.sequenceValue?.stringValues == ["x", "", "z"])
    #expect(value("integers")?.sequenceValue?.int64Values == [NSNumber(value: Int64.min), 4])
    let given = try #require((values["picture"] as? MLFeatureValue)?.imageBufferValue)
    let found = try #require(value("picture")?.imageBufferValue)
    #expect(found.width == 3 && found.height == 2)
    for y in 0..<2 {
      let rows = [given, found].map { image in
        image.withUnsafeBytes { Array($0[(y * image.bytesPerRow)..<(y * image.bytesPerRow + 12)]) }
      }
      #expect(rows[0] == rows[1])
    }
  }

  @Test func everyKindOfFeatureGoesThrough() throws {
    MLCustomModelRegistry.register(C.Mirror.self, forClassName: "Kinds")
    defer { MLCustomModelRegistry.unregister("Kinds") }
    let values = try Self.values()
    try expectMirrored(F.predict(Self.mirror("Kinds", Self.kinds), values), before: "out ", values)
  }

  @Test func andThroughAPipeline() throws {
    MLCustomModelRegistry.register(C.Mirror.self, forClassName: "Staged kinds")
    defer { MLCustomModelRegistry.unregister("Staged kinds") }
    let values = try Self.values()
    let second = Self.kinds.map { F.Feature(name: "out " + $0.name, type: $0.type) }
    let last = second.map { F.Feature(name: "out " + $0.name, type: $0.type) }
    let pipeline = F.pipeline(
      Self.kinds, last, [Self.mirror("Staged kinds", Self.kinds), Self.mirror("Staged kinds", second)])
    try expectMirrored(F.predict(pipeline, values), before: "out out ", values)
  }

  @Test func theClassGetsTheParameters() throws {
    MLCustomModelRegistry.register(C.Mirror.self, forClassName: "Parameters")
    defer { MLCustomModelRegistry.unregister("Parameters") }
    let bytes = [UInt8](repeating: 7, count: 300)
    _ = try F.load(
      C.model(
        "Parameters", [.double("x")], [.double("out x")],
        [
          "double": { $0.append(10, double: 2.5) }, "string": { $0.append(20, string: "käse") },
          "int": { $0.append(30, int: -7) }, "long": { $0.append(40, int: .min) },
          "bool": { $0.append(50, bool: false) },
          "bytes": { $0.append(60, bytes: bytes) },
        ]))
    #expect(
      C.Mirror.made.withLock { $0 } == [
        "double": "2.5", "string": "käse", "int": "-7", "long": "\(Int64.min)", "bool": "false", "bytes": "\(bytes)",
      ])
  }

  @Test func numbersAreConvertedAndOptionalInputsLeftOut() throws {
    MLCustomModelRegistry.register(C.Successor.self, forClassName: "Successor")
    defer { MLCustomModelRegistry.unregister("Successor") }
    let outputs: [F.Feature] = [.double("y"), .string("how")]
    let model = try F.load(C.model("Successor", [.double("x").optional], outputs))
    func y(_ input: [String: Any], _ options: MLPredictionOptions = MLPredictionOptions()) throws -> (Double?, String?)
    {
      let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: input), options: options)
      return (result.featureValue(for: "y")?.doubleValue, result.featureValue(for: "how")?.stringValue)
    }
    #expect(try y(["x": 2.5]).0 == 3.5)
    #expect(try y(["x": Int64(4)]).0 == 5)
    #expect(try y([:]).0 == 100)
    let options = MLPredictionOptions()
    options.usesCPUOnly = true
    #expect(try y(["x": 1.0], options).1 == "on the CPU")
    let error = #expect(throws: MLModelError.self) { try y(["x": "word"]) }
    #expect(error?.code == .featureType && error?.message.contains("'x'") == true)
    // A pipeline passes a missing optional feature on as missing.
    let staged = try F.load(
      F.pipeline([.double("x").optional], outputs, [C.model("Successor", [.double("x").optional], outputs)]))
    let empty = try MLDictionaryFeatureProvider(dictionary: [:])
    #expect(try staged.prediction(from: empty).featureValue(for: "y")?.doubleValue == 100)
    let rows = MLArrayBatchProvider(
      array: try [1.0, 2, 3].map { try MLDictionaryFeatureProvider(dictionary: ["x": $0]) })
    let results = try model.predictions(from: rows, options: MLPredictionOptions())
    #expect((0..<results.count).map { results.features(at: $0).featureValue(for: "y")?.doubleValue } == [2, 3, 4])
    #expect(C.Successor.batches.withLock { $0 } == [3])
  }

  @Test func batchesFallBackToSinglePredictions() throws {
    MLCustomModelRegistry.register(C.Mirror.self, forClassName: "Batches")
    defer { MLCustomModelRegistry.unregister("Batches") }
    let model = try F.load(Self.mirror("Batches", [.double("x")]))
    let rows = MLArrayBatchProvider(array: try [1.0, 2].map { try MLDictionaryFeatureProvider(dictionary: ["x": $0]) })
    let results = try model.predictions(fromBatch: rows)
    #expect((0..<results.count).map { results.features(at: $0).featureValue(for: "out x")?.doubleValue } == [1, 2])
  }

  @Test func aMissingClassIsNamed() throws {
    let model = C.model("Nowhere", [.double("x")], [.double("y")])
    for model in [model, F.pipeline([.double("x")], [.double("y")], [model])] {
      let error = #expect(throws: MLModelError.self) { try F.load(model) }
      #expect(error?.code == .customModel && error?.underlyingCode == "runtime.custom-model")
      #expect(error?.underlyingError is RuntimeError && error?.message.contains("'Nowhere'") == true)
    }
  }

  @Test(arguments: [
    ("init", "init(modelDescription:parameters:) threw"), ("throw", "prediction(from:options:) threw"),
    ("absent", "gave no output 'y'"), ("type", "gave the output 'y' as a value of type"),
    ("shape", "of shape [3], which is not what is declared"),
  ])
  func whatGoesWrongIsNamed(_ place: String, _ words: String) throws {
    MLCustomModelRegistry.register(C.Unruly.self, forClassName: "Unruly")
    let output: F.Feature = place == "shape" ? .array("y", [2]) : .double("y")
    let model = C.model("Unruly", [.double("x")], [output], ["place": { $0.append(20, string: place) }])
    for model in [model, F.pipeline([.double("x")], [output], [model])] {
      let error = #expect(throws: MLModelError.self) { try F.predict(model, ["x": 1.0]) }
      #expect(error?.code == .customModel && error?.message.contains(words) == true, "\(String(describing: error))")
    }
  }

  @Test func aBatchMustBeAnsweredWhole() throws {
    MLCustomModelRegistry.register(C.Unruly.self, forClassName: "Short")
    defer { MLCustomModelRegistry.unregister("Short") }
    let model = try F.load(C.model("Short", [.double("x")], [.double("y")]))
    let rows = MLArrayBatchProvider(array: [try MLDictionaryFeatureProvider(dictionary: ["x": 1.0])])
    let error = #expect(throws: MLModelError.self) { try model.predictions(fromBatch: rows) }
    #expect(error?.code == .customModel && error?.message.contains("0 predictions for a batch of 1") == true)
  }
}
