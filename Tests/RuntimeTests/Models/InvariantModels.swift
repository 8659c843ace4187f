import CoreMLSpec
import Foundation
import TestModels

@testable import CoreMLRuntime

/// Small models whose predictions use different paths of the runtime.
enum InvariantModels {
  typealias Fields = (inout WireWriter) -> Void

  /// Values in -1...1 that depend on `seed` alone.
  static func numbers(_ count: Int, _ seed: Int) -> [Float] {
    (0..<count).map { Float(sin(Double($0 &* 37 &+ seed &* 101))) }
  }

  static func array(_ values: [Float], _ shape: [Int]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLShapedArray<Float>(scalars: values, shape: shape)])
  }

  private static func weights(_ count: Int, _ seed: Int) -> Fields {
    { $0.append(1, packed: numbers(count, seed).map { $0 / 2 }) }
  }

  /// A network from one array `x` to arrays whose shapes follow from the layers.
  private static func network(
    _ shape: [Int64], ranges: [(UInt64, Int64)] = [], outputs: [String], _ layers: [Net.Layer]
  ) -> [UInt8] {
    var model = WireWriter()
    model.append(1, int: 4)
    model.append(2) { description in
      for (field, name) in [(1, "x")] + outputs.map({ (10, $0) }) {
        description.append(field) { feature in
          feature.append(1, string: name)
          feature.append(3) { type in
            type.append(5) { array in
              if field == 1 { array.append(1, packed: shape) }
              array.append(2, int: 0x10020)
              guard field == 1, !ranges.isEmpty else { return }
              array.append(31) { flexibility in
                for (low, high) in ranges {
                  flexibility.append(1) { range in
                    range.append(1, uint: low)
                    range.append(2, int: high)
                  }
                }
              }
            }
          }
        }
      }
    }
    model.append(500) { network in
      for layer in layers { network.append(1, bytes: layer) }
      network.append(5, int: 1)
    }
    return model.bytes
  }

  /// An LSTM with 16 hidden units over sequences of length 7, with batch size 2.
  static func recurrent() -> [UInt8] {
    let (inputs, hidden) = (5, 16)
    let layer = Net.layer(420, ["x"], ["y", "h", "c"]) { lstm in
      lstm.append(1, int: Int64(inputs))
      lstm.append(2, int: Int64(hidden))
      for activation in [40, 30, 30] { lstm.append(10) { $0.append(activation) { _ in } } }
      lstm.append(15) { params in
        params.append(10, bool: true)
        params.append(20, bool: true)
        params.append(60, float: 50)
      }
      lstm.append(20) { matrices in
        for gate in 0..<4 {
          matrices.append(1 + gate, message: weights(hidden * inputs, gate))
          matrices.append(20 + gate, message: weights(hidden * hidden, 10 + gate))
          matrices.append(40 + gate, message: weights(hidden, 20 + gate))
        }
      }
    }
    return network([7, 2, 5, 1, 1], outputs: ["y", "h", "c"], [layer])
  }

  /// Two convolutions and the sum of their results, for images of any size from 4 to 40.
  static func flexible() -> [UInt8] {
    func convolution(_ x: String, _ y: String, from inputs: Int, to outputs: Int, seed: Int) -> Net.Layer {
      Net.layer(100, [x], [y]) { layer in
        layer.append(1, int: Int64(outputs))
        layer.append(2, int: Int64(inputs))
        layer.append(10, int: 1)
        layer.append(20, packed: [Int64(3), 3])
        layer.append(51) { _ in }
        layer.append(70, bool: true)
        layer.append(90, message: weights(outputs * inputs * 9, seed))
        layer.append(91, message: weights(outputs, seed + 1))
      }
    }
    let layers = [
      convolution("x", "a", from: 3, to: 8, seed: 1), Net.layer(130, ["a"], ["b"]) { $0.append(10) { _ in } },
      convolution("b", "c", from: 8, to: 8, seed: 3), Net.sum("b", "c", "y"),
      Net.layer(1270, ["y"], ["total"]) { $0.append(3, bool: true) },
    ]
    return network(
      [1, 3, 8, 8], ranges: [(1, 1), (3, 3), (4, 40), (4, 40)], outputs: ["y", "total"], layers)
  }

  /// A string and a number pass through an encoder and a vectorizer to a classifier with three labels.
  static func classical() -> [UInt8] {
    FeatureModels.pipeline(
      [.double("size"), .string("color")], [.string("label"), .dictionary("p")],
      [
        FeatureModels.oneHot,
        FeatureModels.vectorizer([(.double("size"), 1), (.dictionary("color", integers: true), 3)], 4),
        FeatureModels.classifier(
          .array("vector", [4]), [[0.5, 1, 2, 4], [1, -1, 0.25, 0], [-0.5, 2, 1, -1]], ["low", "middle", "high"]),
      ])
  }
}
