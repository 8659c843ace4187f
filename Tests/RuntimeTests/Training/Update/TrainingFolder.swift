import FeatureFiles
import Foundation
import MIL
import Testing

@testable import CoreMLRuntime

/// A training whose result another framework recorded. The folder has `model.mlmodel`, `train.npz` (rows),
/// `inputs.npz`, `expected_before.npz`, `expected_after.npz` and `meta.json` (`torch_loss_per_epoch`). If weights were
/// recorded, it also has `weights.npz` (`before_0`, `after_0`, ..).
struct TrainingFolder {
  let url: URL
  let losses: [Double]
  let inputs: [String]

  init(_ url: URL) throws {
    self.url = url
    let meta =
      try JSONSerialization.jsonObject(with: Data(contentsOf: url.appending(path: "meta.json"))) as? [String: Any]
    losses = try #require(meta?["torch_loss_per_epoch"] as? [Double])
    inputs = try #require(meta?["training_inputs"] as? [String])
  }

  var hasWeights: Bool { FileManager.default.fileExists(atPath: url.appending(path: "weights.npz").path) }

  /// Trains and compares losses, predictions and weights with the recording. Returns the greatest relative difference.
  func worst() throws -> Double {
    let compiled = try MLModel.compileModel(at: url.appending(path: "model.mlmodel"))
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let model = try MLModel(contentsOf: compiled)
    var worst = try difference(of: model, from: "expected_before.npz")
    let record = UpdateRecord()
    let task = try MLUpdateTask(
      forModelAt: compiled, trainingData: rows("train.npz", model.modelDescription.trainingInputDescriptionsByName),
      progressHandlers: record.handlers([.epochEnd]))
    task.resume()
    let end = record.wait()
    if let error = task.error { throw error }
    let found = record.metrics.compactMap { $0[.lossValue] as? Double }
    #expect(found.count == losses.count)
    for (loss, expected) in zip(found, losses) { worst = max(worst, abs(loss - expected) / abs(expected)) }
    let saved = compiled.deletingLastPathComponent().appending(path: "Saved.mlmodelc")
    try end.model.write(to: saved)
    let learnt = try MLModel(contentsOf: saved)
    worst = max(worst, try difference(of: learnt, from: "expected_after.npz"))
    if hasWeights { worst = max(worst, try differenceOfWeights(model, learnt)) }
    return worst
  }

  /// Relative to the greatest magnitude in each weight. A weight is identified by its values before the training, which
  /// equal the model's bit for bit.
  private func differenceOfWeights(_ model: MLModel, _ learnt: MLModel) throws -> Double {
    let recorded = try NPZ.read(url.appending(path: "weights.npz").path).mapValues(\.doubles)
    let (before, after) = (try Self.weights(model), try Self.weights(learnt))
    #expect(before.count == after.count && 2 * before.count == recorded.count)
    var (worst, met) = (0.0, Set<String>())
    for (own, trained) in zip(before, after) {
      let name = try #require(recorded.first { $0.key.hasPrefix("before_") && $0.value == own }?.key)
      #expect(met.insert(name).inserted, "\(name) is two weights of the model")
      let expected = try #require(recorded[name.replacingOccurrences(of: "before", with: "after")])
      #expect(expected.count == trained.count)
      let scale = expected.map(abs).max() ?? 1
      for (found, number) in zip(trained, expected) { worst = max(worst, abs(found - number) / scale) }
    }
    return worst
  }

  /// The trained parameters in program order.
  private static func weights(_ model: MLModel) throws -> [[Double]] {
    let function = model.engine.function
    return try function.body.operations.filter { $0.type == "train.parameter" }.map {
      try #require($0.value("x", function.constants)?.tensor).doubles()
    }
  }

  private func rows(_ name: String, _ descriptions: [String: MLFeatureDescription]) throws -> MLArrayBatchProvider {
    let arrays = try NPZ.read(url.appending(path: name).path)
    let count = arrays.first?.value.shape.first ?? 0
    return MLArrayBatchProvider(
      array: try (0..<count).map { row in
        var features: [String: Any] = [:]
        for (name, array) in arrays {
          guard let description = descriptions[name] else { continue }
          let inner = array.bytes.count / count
          let own = NPYArray(
            array.element, shape: array.shape.count == 1 ? [1] : Array(array.shape.dropFirst()),
            bytes: Array(array.bytes[row * inner..<(row + 1) * inner]))
          features[name] = try FeatureConversion.feature(own, description)
        }
        return try MLDictionaryFeatureProvider(dictionary: features)
      })
  }

  /// Relative to the greatest magnitude in each output.
  private func difference(of model: MLModel, from name: String) throws -> Double {
    var worst = 0.0
    let rows = try rows("inputs.npz", model.modelDescription.inputDescriptionsByName)
    for (output, array) in try NPZ.read(url.appending(path: name).path) {
      let width = array.count / rows.count
      let expected = array.bytes.withUnsafeBytes { bytes in
        (0..<array.count).map { Double(bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self)) }
      }
      let scale = expected.map(abs).max() ?? 1
      for row in 0..<rows.count {
        let result = try model.prediction(from: rows.features(at: row)).featureValue(for: output)?.multiArrayValue
        let values = try #require(result)
        for index in 0..<width {
          worst = max(worst, abs(values[index].doubleValue - expected[row * width + index]) / scale)
        }
      }
    }
    return worst
  }
}
