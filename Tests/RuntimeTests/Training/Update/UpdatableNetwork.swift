import CoreMLSpec
import Foundation
import TestModels

@testable import CoreMLRuntime

/// A compiled classifier of points in the plane with one trainable inner product, in its own folder.
final class UpdatableNetwork {
  let folder = FileManager.default.temporaryDirectory.appending(path: "network-\(UUID().uuidString)")
  let url: URL

  static let points: [([Double], String)] = [
    ([-1, 0.5], "left"), ([-2, -0.5], "left"), ([1, 0.3], "right"), ([2, -1], "right"),
  ]

  /// - Parameters:
  ///   - isSorted: an operation without a gradient follows the inner product.
  ///   - isInPipeline: the network follows a scaler that doubles both coordinates.
  ///   - highestRate: the end of the learning rate's range.
  ///   - epochs: the allowed numbers of epochs; nil for 1 to 100.
  init(
    labels: [String], isSorted: Bool = false, isInPipeline: Bool = false, highestRate: Double = 10,
    epochs: [Int64]? = nil
  ) throws {
    let outputs = [FeatureModels.Feature.string("label"), FeatureModels.Feature.dictionary("probabilities")]
    var bytes = Self.network(isInPipeline ? "scaled" : "x", labels, isSorted: isSorted, highestRate, epochs)
    if isInPipeline { bytes = FeatureModels.behindDoubler(bytes, named: "classify", outputs) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let source = folder.appending(path: "Network.mlmodel")
    try Data(bytes).write(to: source)
    let compiled = try MLModel.compileModel(at: source)
    url = folder.appending(path: "Network.mlmodelc")
    try FileManager.default.moveItem(at: compiled, to: url)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static func network(
    _ name: String, _ labels: [String], isSorted: Bool, _ highestRate: Double, _ epochs: [Int64]?
  ) -> [UInt8] {
    let input = FeatureModels.Feature.array(name, [2])
    let label = FeatureModels.Feature.string("label")
    return FeatureModels.model(
      403, [input], [label, .dictionary("probabilities")], label: "label", probabilities: "probabilities",
      training: [input, label]
    ) { network in
      network.append(1) { layer in
        layer.append(1, string: "dense")
        layer.append(2, string: name)
        layer.append(3, string: "scores")
        layer.append(10, bool: true)
        layer.append(140) { product in
          product.append(1, uint: 2)
          product.append(2, uint: UInt64(labels.count))
          product.append(10, bool: true)
          weights(&product, 20, (0..<2 * labels.count).map { Float($0) / 10 })
          weights(&product, 21, labels.map { _ in 0 })
        }
      }
      if isSorted { network.append(1, bytes: Net.layer(1461, ["scores"], ["order"])) }
      network.append(1, bytes: Net.layer(175, [isSorted ? "order" : "scores"], ["chances"]))
      network.append(10) { training(&$0, of: "chances", highestRate, epochs) }
      network.append(100) { names in for label in labels { names.append(1, string: label) } }
      network.append(200, string: "chances")
    }
  }

  private static func weights(_ writer: inout WireWriter, _ field: Int, _ values: [Float]) {
    writer.append(field) { weights in
      weights.append(1, packed: values)
      weights.append(50, bool: true)
    }
  }

  private static func training(
    _ writer: inout WireWriter, of input: String, _ highestRate: Double, _ allowed: [Int64]?
  ) {
    writer.append(1) { loss in
      loss.append(1, string: "loss")
      loss.append(10) { entropy in
        entropy.append(1, string: input)
        entropy.append(2, string: "\(input)_true")
      }
    }
    writer.append(2) { optimizer in
      optimizer.append(10) { sgd in
        sgd.append(1) { rate in
          rate.append(1, double: 0.1)
          rate.append(10) { $0.append(2, double: highestRate) }
        }
        sgd.append(2) { size in
          size.append(1, int: 2)
          size.append(10) { range in
            range.append(1, int: 1)
            range.append(2, int: 8)
          }
        }
      }
    }
    writer.append(3) { epochs in
      epochs.append(1, int: 2)
      if let allowed { return epochs.append(11) { $0.append(1, packed: allowed) } }
      epochs.append(10) { range in
        range.append(1, int: 1)
        range.append(2, int: 100)
      }
    }
  }

  // MARK: examples

  static func input(_ x: [Double]) throws -> any MLFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(x)])
  }

  static func examples() throws -> MLArrayBatchProvider {
    MLArrayBatchProvider(
      array: try points.map { try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray($0.0), "label": $0.1]) })
  }
}
