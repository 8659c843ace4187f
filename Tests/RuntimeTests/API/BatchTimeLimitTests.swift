import CoreMLBase
import Foundation
import Synchronization
import TestModels
import Testing

@testable import CoreMLRuntime

/// Rows of a batch run together under a time limit, and each row keeps its own limit.
@Suite(.serialized) struct BatchTimeLimitTests {
  /// A copy that takes a while, and counts its calls.
  final class Slow: MLCustomLayer {
    static let seconds = 0.03
    static let calls = Mutex(0)

    required init(parameters: [String: Any]) throws {}
    func setWeightData(_ weights: [Data]) throws {}
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      Self.calls.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: Self.seconds)
      for index in 0..<inputs[0].count { outputs[0][index] = inputs[0][index] }
    }
  }

  /// A slow copy, and a product with 8 MB of weights, which a batch shares.
  private static let decoder: [UInt8] = {
    let weights = (0..<1 << 21).map { Float($0 % 251) / 251 - 0.5 }
    let product = Net.layer(140, ["copy"], ["y"]) { layer in
      layer.append(1, uint: 1024)
      layer.append(2, uint: 2048)
      layer.append(20) { $0.append(1, packed: weights) }
    }
    return CustomLayers.model(
      [CustomLayers.layer("BatchSlow", ["x"], ["copy"]), product], from: [1024], to: [2048])
  }()

  private static func load(_ bytes: [UInt8], limit: Double?) throws -> MLModel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "Model.mlmodel")
    try Data(bytes).write(to: source)
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    var limits = RuntimeLimits()
    limits.predictionTime = limit
    configuration.limits = limits
    return try MLModel(contentsOf: MLModel.compileModel(at: source, into: folder), configuration: configuration)
  }

  private static func rows(_ count: Int) throws -> [MLDictionaryFeatureProvider] {
    try (0..<count).map { row in
      let values = (0..<1024).map { Float(($0 + 7 * row) % 13) / 13 }
      return try MLDictionaryFeatureProvider(dictionary: ["x": CustomLayers.array(values, [1024])])
    }
  }

  /// Ten rows take 0.3 s, more than the limit; one takes a tenth of it.
  @Test func rowsThatTogetherExceedTheLimitArePredictedAlone() throws {
    MLCustomLayerRegistry.register(Slow.self, forClassName: "BatchSlow")
    defer { MLCustomLayerRegistry.unregister("BatchSlow") }
    let rows = try Self.rows(10)
    let batch = MLArrayBatchProvider(array: rows)
    let free = try Self.load(Self.decoder, limit: nil)
    let expected = try free.predictions(fromBatch: batch)
    Slow.calls.withLock { $0 = 0 }
    let limited = try Self.load(Self.decoder, limit: 0.2)
    _ = try limited.prediction(from: rows[0])
    let results = try limited.predictions(fromBatch: batch)
    #expect(results.count == rows.count)
    for row in rows.indices {
      #expect(results.features(at: row).featureValue(for: "y") == expected.features(at: row).featureValue(for: "y"))
    }
    // One prediction, a group that is stopped, and ten rows alone.
    #expect(Slow.calls.withLock { $0 } > 11)
  }

  @Test func rowsShareWeightsUnderALimit() throws {
    MLCustomLayerRegistry.register(Slow.self, forClassName: "BatchSlow")
    defer { MLCustomLayerRegistry.unregister("BatchSlow") }
    let model = try Self.load(Self.decoder, limit: 60)
    let batch = MLArrayBatchProvider(array: try Self.rows(4))
    let group = try Prediction(model.content).predictions(
      from: batch, first: RememberedFeatures(batch.features(at: 0)), options: MLPredictionOptions()
    ) { _ in
      Issue.record("the row was predicted alone")
      return batch.features(at: 0)
    }
    #expect(group?.count == 4)
  }

  @Test func aRowThatExceedsTheLimitIsAnError() throws {
    MLCustomLayerRegistry.register(Slow.self, forClassName: "BatchSlow")
    defer { MLCustomLayerRegistry.unregister("BatchSlow") }
    let model = try Self.load(Self.decoder, limit: 1e-9)
    let error = #expect(throws: MLModelError.self) {
      try model.predictions(fromBatch: MLArrayBatchProvider(array: try Self.rows(3)))
    }
    #expect(error?.code == .predictionCancelled && error?.underlyingCode == "mil.over-time")
  }

  private static let classifier = FeatureModels.classifier(
    .array("x", [2]), [[0.5, 1], [1, -1], [0.1, 0.2]], ["low", "middle", "high"])

  @Test func blocksRunUnderALimit() throws {
    #expect(try TabularBlocks(Self.load(Self.classifier, limit: 60)) != nil)
    let model = try Self.load(Self.classifier, limit: 1e-9)
    let blocks = try #require(TabularBlocks(model))
    let block = try #require(blocks.begin(rows: 16))
    #expect(block.size == 32)
    #expect(!block.run(rows: 16))
    blocks.end(block)
    // Blocks of this size take too long; single rows are left.
    let other = try #require(blocks.begin(rows: 16))
    #expect(other.size == 1)
    blocks.end(other)
    let rows = try (0..<40).map { try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray([Double($0), 1])]) }
    let error = #expect(throws: MLModelError.self) {
      try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
    }
    #expect(error?.underlyingCode == "mil.over-time")
  }
}
