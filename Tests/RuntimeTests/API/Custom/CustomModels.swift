import Foundation
import Synchronization
import TestModels

@testable import CoreMLRuntime

/// Models of custom classes.
enum CustomModels {
  static func model(
    _ className: String, _ inputs: [FeatureModels.Feature], _ outputs: [FeatureModels.Feature],
    _ parameters: [String: FeatureModels.Fields] = [:]
  ) -> [UInt8] {
    FeatureModels.model(555, inputs, outputs) { message in
      message.append(10, string: className)
      for (name, value) in parameters {
        message.append(30) { entry in
          entry.append(1, string: name)
          entry.append(2, message: value)
        }
      }
    }
  }

  /// Returns its inputs with `out` before their names, and records the parameters of its initializer.
  final class Mirror: MLCustomModel {
    static let made = Mutex<[String: String]>([:])

    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {
      guard !parameters.isEmpty else { return }
      Self.made.withLock { made in
        made["double"] = (parameters["double"] as? Double)?.description
        made["string"] = parameters["string"] as? String
        made["int"] = (parameters["int"] as? Int)?.description
        made["long"] = (parameters["long"] as? Int64)?.description
        made["bool"] = (parameters["bool"] as? Bool)?.description
        made["bytes"] = (parameters["bytes"] as? Data).map { "\(Array($0))" }
      }
    }

    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      var result: [String: Any] = [:]
      for name in input.featureNames { result["out " + name] = input.featureValue(for: name) }
      return try MLDictionaryFeatureProvider(dictionary: result)
    }
  }

  /// `y` is `x` plus one, or 100 if `x` is missing. `how` says whether the options require the CPU.
  final class Successor: MLCustomModel {
    static let batches = Mutex<[Int]>([])
    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {}

    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      let x = input.featureValue(for: "x")?.doubleValue ?? 99
      return try MLDictionaryFeatureProvider(dictionary: [
        "y": x + 1, "how": options.usesCPUOnly ? "on the CPU" : "anywhere",
      ])
    }

    func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
      Self.batches.withLock { $0.append(inputBatch.count) }
      return MLArrayBatchProvider(
        array: try (0..<inputBatch.count).map { try prediction(from: inputBatch.features(at: $0), options: options) })
    }
  }

  struct Complaint: Error {}

  /// Violates the contract in the named method.
  final class Unruly: MLCustomModel {
    private let place: String
    required init(modelDescription: MLModelDescription, parameters: [String: Any]) throws {
      place = parameters["place"] as? String ?? ""
      if place == "init" { throw Complaint() }
    }
    func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
      switch place {
      case "absent": return try MLDictionaryFeatureProvider(dictionary: ["other": 1.0])
      case "type": return try MLDictionaryFeatureProvider(dictionary: ["y": "a word"])
      case "shape": return try MLDictionaryFeatureProvider(dictionary: ["y": MLMultiArray([1, 2, 3] as [Double])])
      default: throw Complaint()
      }
    }
    func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
      MLArrayBatchProvider(array: [])
    }
  }
}
