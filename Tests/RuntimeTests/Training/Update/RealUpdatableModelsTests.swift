import FeatureFiles
import Foundation
import TestSupport
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Updatable models from third parties, in an archive next to the checkout.
@Suite(.tags(.process)) struct RealUpdatableModelsTests {
  private static let names = [
    "s4tf_linear_updatable", "housing_updatable", "mnist_flower_updatable", "fer_updatable_rishabh",
  ]

  private func unpack() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-updatable-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tar = Process()
    tar.executableURL = URL(filePath: "/usr/bin/env")
    tar.arguments =
      ["tar", "-xJf", AppleModelsTests.archive.path, "-C", folder.path, "--wildcards"]
      + Self.names.map { "*/real/\($0)/*" }
    try tar.run()
    tar.waitUntilExit()
    try #require(tar.terminationStatus == 0)
    return folder
  }

  private func train(
    _ url: URL, _ rows: [any MLFeatureProvider]
  ) throws -> (model: any MLModel & MLWritable, losses: [Double]) {
    let record = UpdateRecord()
    let task = try MLUpdateTask(
      forModelAt: url, trainingData: MLArrayBatchProvider(array: rows), progressHandlers: record.handlers([.epochEnd]))
    task.resume()
    let end = record.wait()
    if let error = task.error { throw error }
    return (end.model, record.metrics.compactMap { $0[.lossValue] as? Double })
  }

  /// A recording from a device. Input and target were the same array, so the learned line is y = x.
  @Test(.enabled(if: AppleModelsTests.hasArchive, "needs ../shared/models/models-dev.tar.xz"))
  func aLineEndsWhereADeviceEnded() throws {
    let folder = try unpack()
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "models-dev/real/s4tf_linear_updatable/model.mlmodel")
    let url = try MLModel.compileModel(at: source)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let description = try MLModel(contentsOf: url).modelDescription
    var noise = Numbers(state: 1)
    let rows = try (0..<100).map { index in
      let y = try MLMultiArray([2 * Double(index) / 100 + 1.5 + 0.1 * (noise.unit() - 0.5)])
      return try MLDictionaryFeatureProvider(
        dictionary: Dictionary(
          uniqueKeysWithValues: description.trainingInputDescriptionsByName.keys.map { ($0, y) }))
    }
    let trained = try train(url, rows)
    let weight = try #require(try trained.model.parameterValue(for: .weights) as? MLMultiArray)[0].doubleValue
    let bias = try #require(try trained.model.parameterValue(for: .biases) as? MLMultiArray)[0].doubleValue
    #expect(abs(weight - 1) < 1e-4 && abs(bias) < 1e-3, "w is \(weight), b is \(bias)")
    #expect(trained.losses.count == 100)
  }

  @Test(.enabled(if: AppleModelsTests.hasArchive, "needs ../shared/models/models-dev.tar.xz"))
  func realModelsLearnWhatTheyAreTold() throws {
    let folder = try unpack()
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in Self.names {
      let place = folder.appending(path: "models-dev/real/\(name)")
      let url = try MLModel.compileModel(at: place.appending(path: "model.mlmodel"))
      defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
      let model = try MLModel(contentsOf: url)
      var rows: [any MLFeatureProvider] = []
      for step in 0..<2 {
        var features: [String: MLFeatureValue] = [:]
        for (name, description) in model.modelDescription.inputDescriptionsByName {
          guard let constraint = description.imageConstraint else { continue }
          let picture = place.appending(path: "inputs_\(step)_\(name).png")
          features[name] = try MLFeatureValue(imageAt: picture, constraint: constraint)
        }
        if features.isEmpty {
          let arrays = place.appending(path: "inputs_\(step).npz")
          features = try FeatureFile.features(arrays.path, for: model.modelDescription, images: .none)
        }
        rows.append(try example(features, model, number: name.hasPrefix("fer") ? 0 : step))
      }
      let losses = try train(url, rows).losses
      let (first, last) = (try #require(losses.first), try #require(losses.last))
      // One model has a softmax over one class, so its loss is zero from the start.
      #expect(last < first || first == 0, "\(name): the loss went from \(first) to \(last)")
    }
  }

  private func example(
    _ features: [String: MLFeatureValue], _ model: MLModel, number: Int
  ) throws -> any MLFeatureProvider {
    var all: [String: Any] = features
    for (name, description) in model.modelDescription.trainingInputDescriptionsByName where all[name] == nil {
      switch description.type {
      case .string, .int64: all[name] = try #require(model.modelDescription.classLabels?.first)
      default:
        let shape = description.multiArrayConstraint?.shape ?? [1]
        let array = try MLMultiArray(shape: shape, dataType: .double)
        for index in 0..<array.count { array[index] = NSNumber(value: shape == [1] ? number : 0) }
        all[name] = array
      }
    }
    return try MLDictionaryFeatureProvider(dictionary: all)
  }
}
