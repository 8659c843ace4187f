import CoreMLSpec
import Foundation
import TestSupport
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Parameters and hints of a configuration that change how a model is loaded.
@Suite struct ModelParameterTests {
  private static let digits = Checkout.cases.appending(path: "digits")

  private static let image = MLFeatureValue(
    multiArray: MLMultiArray(MLShapedArray<Double>(repeating: 0.5, shape: [1, 8, 8])))

  private static func probabilities(_ model: MLModel) throws -> [String: Double] {
    let output = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": image]))
    return try #require(output.featureValue(for: "probabilities")?.dictionaryValue as? [String: Double])
  }

  private static func within<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "parameters-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  private static func with(_ parameters: [MLParameterKey: Any]) -> MLModelConfiguration {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.parameters = parameters
    return configuration
  }

  @Test func weightsTakeThePlaceOfTheModelsOwn() throws {
    try Self.within { folder in
      let url = try MLModel.compileModel(at: Self.digits.appending(path: "Digits.mlmodel"), into: folder)
      let plain = try MLModel(contentsOf: url)
      guard case .neuralNetwork(let network) = try MLModelStructure(CompiledModelLoader.load(url.path)) else {
        Issue.record("the model is no network")
        return
      }
      let layers = network.layers.filter { $0.type == "innerProduct" }.map(\.name)
      let layer = try #require(layers.first { (try? plain.parameterValue(for: .biases.scoped(to: $0))) != nil })
      let key = MLParameterKey.biases.scoped(to: layer)
      let own = try #require(try plain.parameterValue(for: key) as? MLMultiArray)
      let other = try MLMultiArray(shape: [NSNumber(value: own.count)], dataType: .float32)
      other[0] = 100
      let changed = try MLModel(contentsOf: url, configuration: Self.with([key: other]))
      let before = try Self.probabilities(plain)
      let after = try Self.probabilities(changed)
      #expect(before != after)
      #expect((try changed.parameterValue(for: key) as? MLMultiArray)?[0] == 100)
      #expect(try Self.probabilities(MLModel(contentsOf: url, configuration: Self.with([key: own]))) == before)
      for bad: [MLParameterKey: Any] in [
        [key: try MLMultiArray(shape: [1], dataType: .float32)], [key: 3], [.weights.scoped(to: "nothing"): own],
      ] {
        #expect { try MLModel(contentsOf: url, configuration: Self.with(bad)) } throws: { error in
          (error as? MLModelError)?.code == .parameters
        }
      }
    }
  }

  /// A model that links to `Digits.mlmodel` in the same folder and has the same description.
  private static func link(in folder: URL) throws -> URL {
    let source = digits.appending(path: "Digits.mlmodel")
    try FileManager.default.copyItem(at: source, to: folder.appending(path: "Digits.mlmodel"))
    let compiled = try MLModel.compileModel(at: source, into: folder)
    var writer = WireWriter()
    writer.append(1, int: 4)
    writer.append(2, bytes: try MLModel(contentsOf: compiled).interface.description)
    writer.append(556) { linked in
      linked.append(1) { file in file.append(1) { name in name.append(1, string: "Digits.mlmodel") } }
    }
    let url = folder.appending(path: "Linked.mlmodel")
    try Data(writer.bytes).write(to: url)
    return try MLModel.compileModel(at: url, into: folder)
  }

  @Test func aLinkedModelGivesWayToAnotherOne() throws {
    try Self.within { folder in
      let url = try Self.link(in: folder)
      let shelf = folder.appending(path: "shelf")
      try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
      let other = try MLModel.compileModel(at: Self.digits.appending(path: "NewDigits.mlmodel"), into: shelf)
      let plain = try MLModel(contentsOf: url)
      #expect(try plain.parameterValue(for: .linkedModelFileName) as? String == "Digits.mlmodel")
      let expected = try Self.probabilities(MLModel(contentsOf: other))
      #expect(try Self.probabilities(plain) != expected)
      for parameters: [MLParameterKey: Any] in [
        [.linkedModelFileName: "NewDigits", .linkedModelSearchPath: "elsewhere:shelf"],
        [.linkedModelFileName: "NewDigits.mlmodelc", .linkedModelSearchPath: shelf.path],
      ] {
        let linked = try MLModel(contentsOf: url, configuration: Self.with(parameters))
        #expect(try Self.probabilities(linked) == expected)
        #expect(
          try linked.parameterValue(for: .linkedModelFileName) as? String == parameters[.linkedModelFileName] as? String
        )
      }
      for bad: [MLParameterKey: Any] in [[.linkedModelFileName: "Nothing"], [.linkedModelFileName: 3]] {
        #expect(throws: MLModelError.self) { try MLModel(contentsOf: url, configuration: Self.with(bad)) }
      }
      #expect { try MLModel(contentsOf: other, configuration: Self.with([.linkedModelFileName: "Digits"])) } throws: {
        ($0 as? MLModelError)?.code == .parameters
      }
    }
  }

  @Test func aModelThatIsToBeFastIsPlannedWhenItIsLoaded() throws {
    try Self.within { folder in
      let url = try MLModel.compileModel(at: Self.digits.appending(path: "Digits.mlmodel"), into: folder)
      let configuration = Self.with([:])
      #expect(try MLModel(contentsOf: url, configuration: configuration).engine.planUsedLast == nil)
      configuration.optimizationHints.specializationStrategy = .fastPrediction
      let model = try MLModel(contentsOf: url, configuration: configuration)
      let plan = try #require(model.engine.planUsedLast)
      _ = try Self.probabilities(model)
      #expect(model.engine.planUsedLast === plan, "the prediction made another plan")
    }
  }
}
