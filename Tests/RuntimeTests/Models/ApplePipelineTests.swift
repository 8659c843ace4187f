import CoreMLBase
import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Pipelines compiled by Apple's tools, with models of any type in subfolders.
@Suite struct ApplePipelineTests {
  typealias F = FeatureModels

  private static let form = "generic.model0v1.0.0spec.model1v1.0.0spec"

  private static func trailer(_ models: UInt64, _ type: UInt64) -> [UInt8] {
    AppleFolder.number(models) + AppleFolder.number(type)
  }

  /// `coremldata.bin` of a pipeline, equivalent to the description of a model file.
  private static func pipeline(_ inputs: [F.Feature], _ outputs: [F.Feature], models: UInt64, type: UInt32 = 202) throws
    -> [UInt8]
  {
    let description = try ModelFile(Bytes(F.pipeline(inputs, outputs, []))).model.description
    let message = description?.message.bytes.array ?? []
    return AppleFolder.header(type, form) + AppleFolder.number(UInt64(message.count)) + message
      + trailer(models, UInt64(type))
  }

  private static func scaler(_ input: String, _ output: String, by factor: Double) -> [UInt8] {
    F.model(604, [.floats(input, [2])], [.floats(output, [2])]) { $0.append(2, packed: [factor]) }
  }

  private static func program(_ folder: AppleFolder, in place: String, _ input: String, _ output: String) throws {
    try folder.put(
      AppleFolder.description(502) { writer in
        AppleFolder.array(1, input, [2], to: &writer)
        AppleFolder.array(10, output, [2], to: &writer)
      }, "\(place)/coremldata.bin")
    try folder.put(
      """
      program(1.0)
      { func main<ios15>(tensor<fp32, [2]> \(input)) {
          tensor<fp32, [2]> w = const()[name = tensor<string, []>("w"), val = tensor<fp32, [2]>(BLOBFILE(path = tensor<string, []>("@model_path/weights/weight.bin"), offset = tensor<uint64, []>(64)))];
          tensor<fp32, [2]> \(output) = add(x = \(input), y = w)[name = tensor<string, []>("add")];
      } -> (\(output)); }
      """, "\(place)/model.mil")
  }

  private static func weights(_ folder: AppleFolder, in place: String, _ values: [Float]) throws {
    try folder.put([], "\(place)/weights/weight.bin")
    let writer = try BlobWriter(path: "\(folder.path)/\(place)/weights/weight.bin")
    _ = try values.withUnsafeBytes { try writer.append(.float32, $0, paddingBits: 0) }
    try writer.finish()
  }

  @Test func modelsOfEveryKind() throws {
    try AppleFolder.make { folder in
      try folder.put(
        Self.pipeline([.floats("x", [2])], [.floats("y", [2])], models: 3, type: 201), "coremldata.bin")
      try folder.put(AppleFolder.header(604, "spec") + Self.scaler("x", "a", by: 2), "model0/coremldata.bin")
      try folder.put(
        AppleFolder.description(500) { writer in
          AppleFolder.array(1, "a", [2], to: &writer)
          AppleFolder.array(10, "b", [2], to: &writer)
        }, "model1/coremldata.bin")
      try AppleFolder(path: "\(folder.path)/model1").espresso(
        [#"{"type": "elementwise", "name": "b", "bottom": "a", "top": "b", "operation": 2, "alpha": 1, "beta": 0}"#],
        weights: [:])
      try Self.program(folder, in: "model2", "b", "y")
      try Self.weights(folder, in: "model2", [10, 20])
      #expect(try folder.run([1, 2], [2]) == [13, 25])
      let model = try CompiledModelLoader.load(folder.path)
      #expect(model.interface.modelType == "pipelineRegressor")
      let structure = model.program.functions["main"]?.fileStructure
      #expect(structure?.models?.map(\.modelType) == ["scaler", "neuralNetwork", "mlProgram"])
    }
  }

  /// A program uses the weight file in its own folder, or else the nearest one in an enclosing pipeline.
  @Test func programsMayShareWeights() throws {
    try AppleFolder.make { folder in
      let (x, y) = ([F.Feature.floats("x", [2])], [F.Feature.floats("y", [2])])
      try folder.put(Self.pipeline(x, y, models: 2), "coremldata.bin")
      try folder.put(Self.pipeline(x, [.floats("m", [2])], models: 1), "model0/coremldata.bin")
      try Self.program(folder, in: "model0/model0", "x", "m")
      try Self.program(folder, in: "model1", "m", "y")
      #expect(throws: MLModelError.self) { try folder.model() }
      try Self.weights(folder, in: ".", [10, 20])
      #expect(try folder.run([1, 2], [2]) == [21, 42])
      try Self.weights(folder, in: "model0/model0", [100, 200])
      #expect(try folder.run([1, 2], [2]) == [111, 222])
    }
  }

  /// The format that Xcode writes for exported detectors.
  @Test func suppressionTakesThresholdsOfThePipeline() throws {
    try AppleFolder.make { folder in
      let inputs = [F.Feature.floats("scores", [3, 1]), .floats("coordinates", [3, 4])]
      try folder.put(
        Self.pipeline(inputs + DetectorPipelineTests.thresholds, DetectorPipelineTests.outputs, models: 2),
        "coremldata.bin")
      try folder.put(
        AppleFolder.description(502) { writer in
          AppleFolder.array(1, "scores", [3, 1], to: &writer)
          AppleFolder.array(10, "confidence", [3, 1], to: &writer)
        }, "model0/coremldata.bin")
      try folder.put(
        "program(1.3) { func main<ios18>(tensor<fp32, [3, 1]> scores) { tensor<fp32, [3, 1]> confidence = relu(x = scores); } -> (confidence); }",
        "model0/model.mil")
      try folder.put(AppleFolder.header(610, "spec") + DetectorPipelineTests.suppression(), "model1/coremldata.bin")
      let model = try folder.model()
      func found(_ thresholds: [String: Any]) throws -> Int? {
        let arrays: [String: Any] = [
          "scores": try CustomLayers.array([0.9, 0.8, 0.3], [3, 1]),
          "coordinates": try CustomLayers.array(
            [0.5, 0.5, 0.2, 0.2, 0.5, 0.5, 0.2, 0.25, 0.1, 0.1, 0.1, 0.1], [3, 4]),
        ]
        let input = try MLDictionaryFeatureProvider(dictionary: arrays.merging(thresholds) { $1 })
        return try model.prediction(from: input).numbers("found")?.count
      }
      #expect(try found(["iou": 0.9, "least": 0.1]) == 3)
      #expect(try found(["iou": 0.9]) == 2)
      #expect(try found([:]) == 1)
    }
  }

  @Test func whatIsMissingIsNamed() throws {
    try AppleFolder.make { folder in
      let (x, y) = ([F.Feature.floats("x", [2])], [F.Feature.floats("y", [2])])
      try folder.put(Self.pipeline(x, y, models: 2), "coremldata.bin")
      try folder.put(AppleFolder.header(604, "spec") + Self.scaler("x", "y", by: 2), "model0/coremldata.bin")
      let error = #expect(throws: MLModelError.self) { try folder.model() }
      #expect(error?.message.contains("model1") == true)
    }
  }

  /// Every stage of the pipeline links to the pipeline itself.
  @Test func linksThatGoInCirclesEnd() throws {
    try AppleFolder.make { folder in
      let (x, y) = ([F.Feature.floats("x", [2])], [F.Feature.floats("y", [2])])
      try folder.put(Self.pipeline(x, y, models: 2), "coremldata.bin")
      for name in ["model0", "model1"] {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: folder.path)
      }
      let error = #expect(throws: MLModelError.self) { try folder.model() }
      #expect(error?.message.contains("within pipelines") == true)
    }
  }

  /// The format that Xcode 9 wrote before its release.
  @Test func theFirstForm() throws {
    func header(_ type: UInt32, _ form: String) -> [UInt8] {
      AppleFolder.number(type) + AppleFolder.number(UInt64(1)) + [UInt8](repeating: 0, count: 16)
        + AppleFolder.string("") + AppleFolder.number(UInt64(1)) + [UInt8](repeating: 0, count: 16)
        + AppleFolder.string(form)
    }
    try AppleFolder.make { folder in
      let whole = try Self.pipeline([.floats("x", [2])], [.floats("y", [2])], models: 2, type: 201)
      let rest = whole.dropFirst(AppleFolder.header(201, Self.form).count)
      try folder.put(header(201, Self.form) + rest, "coremldata.bin")
      try folder.put(header(604, "spec") + Self.scaler("x", "m", by: 2), "model0/coremldata.bin")
      try folder.put(header(604, "spec") + Self.scaler("m", "y", by: 3), "model1/coremldata.bin")
      #expect(try folder.run([1, 2], [2]) == [6, 12])
    }
  }
}
