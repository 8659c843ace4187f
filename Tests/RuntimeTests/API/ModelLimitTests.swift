import CoreMLBase
import CoreMLSpec
import Foundation
import MIL
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Limits of a model: its number of operations, the size of its files, and the time to load it and to predict.
@Suite struct ModelLimitTests {
  private static let bytes = FeatureModels.model(500, [.array("x", [1])], [.array("y", [1])]) { network in
    for layer in [Net.add("x", 1, "a"), Net.multiply("a", 2, "b"), Net.add("b", 1, "y")] {
      network.append(1, bytes: layer)
    }
  }

  /// Loads the model from a file under limits.
  private static func load(_ change: (inout RuntimeLimits) -> Void) throws -> MLModel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "Model.mlmodel")
    try Data(bytes).write(to: source)
    let compiled = try MLModel.compileModel(at: source, into: folder)
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    var limits = RuntimeLimits()
    change(&limits)
    configuration.limits = limits
    return try MLModel(contentsOf: compiled, configuration: configuration)
  }

  private static func refused(naming words: String, _ change: (inout RuntimeLimits) -> Void) {
    let error = #expect(throws: MLModelError.self) { _ = try load(change) }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test func aModelWithinItsLimitsPredicts() throws {
    let model = try Self.load { _ in }
    #expect(try CustomLayers.predict(model, [3], [1]) == [9])
    #expect(model.configuration.limits == RuntimeLimits())
  }

  @Test func operationsAreCounted() { Self.refused(naming: "COREML_OPERATION_LIMIT") { $0.operations = 1 } }

  @Test func filesAreMeasured() { Self.refused(naming: "COREML_MODEL_SIZE_LIMIT") { $0.modelSize = 10 } }

  @Test func loadingEnds() { Self.refused(naming: "COREML_LOAD_TIME_LIMIT") { $0.loadTime = 1e-9 } }

  @Test func aPredictionEnds() throws {
    let model = try Self.load { $0.predictionTime = 1e-9 }
    let error = #expect(throws: MLModelError.self) { _ = try CustomLayers.predict(model, [3], [1]) }
    #expect(error?.code == .predictionCancelled && error?.underlyingCode == "mil.over-time")
    #expect(error?.message.contains("COREML_PREDICTION_TIME_LIMIT") == true)
  }
}
