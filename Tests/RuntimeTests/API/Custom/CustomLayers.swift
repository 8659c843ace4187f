import CoreMLSpec
import Foundation
import Synchronization
import TestModels

@testable import CoreMLRuntime

/// Networks with custom layers, and classes that implement them.
enum CustomLayers {
  /// A custom layer of a class. The closures in `parameters` write the field of their value; `weights` are complete
  /// `WeightParams`.
  static func layer(
    _ className: String, _ inputs: [String], _ outputs: [String], ranks: [UInt64] = [],
    parameters: [String: FeatureModels.Fields] = [:], weights: [FeatureModels.Fields] = []
  ) -> Net.Layer {
    var writer = WireWriter()
    for rank in ranks { writer.append(5) { $0.append(1, uint: rank) } }
    return Net.layer(500, inputs, outputs) { message in
      message.append(10, string: className)
      for weight in weights { message.append(20, message: weight) }
      for (name, value) in parameters {
        message.append(30) { entry in
          entry.append(1, string: name)
          entry.append(2, message: value)
        }
      }
    } + writer.bytes
  }

  /// A network from one array `x` to one array `y`. Shapes are exact if `isExact`, and otherwise (C, H, W) at most.
  static func model(
    _ layers: [Net.Layer], from input: [Int64], to output: [Int64], isExact: Bool = true
  ) -> [UInt8] {
    FeatureModels.model(500, [.array("x", input)], [.array("y", output)]) { network in
      for layer in layers { network.append(1, bytes: layer) }
      if isExact { network.append(5, int: 1) }
    }
  }

  static func array(_ values: [Float], _ shape: [Int]) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .float32)
    for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
    return array
  }

  static func predict(_ model: MLModel, _ values: [Float], _ shape: [Int]) throws -> [Double]? {
    try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": array(values, shape)])).numbers("y")
  }

  /// y = scale x + offset, where the offset is the first weight. Records the shapes that it is called with.
  final class Affine: MLCustomLayer {
    static let seen = Mutex<[[[Int]]]>([])
    static let running = Mutex<(now: Int, most: Int)>((0, 0))
    private let scale: Float
    private var offset: Float = 0

    required init(parameters: [String: Any]) throws {
      scale = (parameters["scale"] as? NSNumber)?.floatValue ?? 1
    }

    func setWeightData(_ weights: [Data]) throws {
      offset = weights.first?.withUnsafeBytes { $0.loadUnaligned(as: Float.self) } ?? 0
    }

    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
      Self.seen.withLock { $0.append(inputShapes.map { $0.map(\.intValue) }) }
      return inputShapes
    }

    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      Self.running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      defer { Self.running.withLock { $0.now -= 1 } }
      for index in 0..<inputs[0].count {
        outputs[0][index] = NSNumber(value: inputs[0][index].floatValue * scale + offset)
      }
    }
  }

  struct Complaint: LocalizedError {
    let text: String
    var errorDescription: String? { text }
  }

  /// Violates the contract in the named method.
  final class Unruly: MLCustomLayer {
    private let place: String
    required init(parameters: [String: Any]) throws {
      place = parameters["place"] as? String ?? ""
      if place == "init" { throw Complaint(text: "no parameters wanted") }
    }
    func setWeightData(_ weights: [Data]) throws {
      if place == "weights" { throw Complaint(text: "no weights wanted") }
    }
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] {
      switch place {
      case "shapes": throw Complaint(text: "no such shape")
      case "count": return inputShapes + inputShapes
      case "rank": return inputShapes.map { $0 + [1] }
      case "negative": return [[-1, 2]]
      case "huge": return [[NSNumber(value: Int.max), NSNumber(value: Int.max)]]
      default: return inputShapes
      }
    }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws { throw Complaint(text: "not today") }
  }

  /// One output per matrix row: the sum of the row. A second output is the number of columns.
  final class Rows: MLCustomLayer {
    required init(parameters: [String: Any]) throws {}
    func setWeightData(_ weights: [Data]) throws {}
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { [[inputShapes[0][0]], [1]] }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws {
      let columns = inputs[0].shape[1].intValue
      for row in 0..<inputs[0].shape[0].intValue {
        let sum = (0..<columns).reduce(Float(0)) { $0 + inputs[0][row * columns + $1].floatValue }
        outputs[0][row] = NSNumber(value: sum)
      }
      outputs[1][0] = NSNumber(value: columns)
    }
  }

  /// Records the arguments of its initializer.
  final class Keeper: MLCustomLayer {
    static let parameters = Mutex<[String: String]>([:])
    static let weights = Mutex<[Data]>([])
    required init(parameters: [String: Any]) throws {
      Self.parameters.withLock { kept in
        kept["double"] = (parameters["double"] as? Double)?.description
        kept["string"] = parameters["string"] as? String
        kept["int"] = (parameters["int"] as? Int)?.description
        kept["long"] = (parameters["long"] as? Int64)?.description
        kept["bool"] = (parameters["bool"] as? Bool)?.description
        kept["count"] = "\(parameters.count)"
      }
    }
    func setWeightData(_ weights: [Data]) throws { Self.weights.withLock { $0 = weights } }
    func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]] { inputShapes }
    func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws { inputs[0].transfer(to: outputs[0]) }
  }
}
