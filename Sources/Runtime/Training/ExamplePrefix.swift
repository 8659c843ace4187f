import Foundation
import MIL

/// Computes what training reads of an example: everything before the first parameter. What was computed is kept while there is room, where
/// examples come again.
final class ExamplePrefix {
  private let graph: TrainingGraph
  private let model: MLModel
  private let engine: Engine
  /// Nothing is to be computed: training reads the model's inputs themselves.
  private let isEmpty: Bool
  private let targets: TrainingTargets
  private var kept: [Int: Row] = [:]
  private var keptBytes = 0

  /// What is kept of all examples together takes at most this.
  private static let keepLimit = 256 << 20

  /// One example: its values of the prefix, and where it is.
  struct Row {
    let number: Int
    let values: [String: Tensor]
    let example: any MLFeatureProvider
    var types: [String: TensorType] { values.mapValues(\.type) }
  }

  init(_ graph: TrainingGraph, _ function: Function, _ model: MLModel) throws {
    self.graph = graph
    self.model = model
    targets = try TrainingTargets(graph, function, model.modelDescription)
    isEmpty = graph.prefix.body.operations.allSatisfy { $0.type == "const" }
    engine = Engine(function: graph.prefix, devices: model.engine.devices)
  }

  /// - Parameter comesAgain: whether it pays to keep what is computed.
  func row(_ number: Int, of data: any MLBatchProvider, comesAgain: Bool) throws -> Row {
    if let row = kept[number] { return row }
    let example = data.features(at: number)
    let row = Row(number: number, values: try values(of: example), example: example)
    let bytes = row.values.values.reduce(0) { $0 + $1.byteCount }
    if comesAgain, !isEmpty, keptBytes + bytes <= Self.keepLimit {
      kept[number] = row
      keptBytes += bytes
    }
    return row
  }

  func target(of row: Row, elements: Int) throws -> Tensor { try targets.target(of: row.example, elements: elements) }

  private func values(of example: any MLFeatureProvider) throws -> [String: Tensor] {
    let names = graph.boundary.map(\.name)
    let given = try Prediction(model).values(of: example, for: engine)
    if isEmpty { return try tensors(given.map { ($0.key, $0.value) }, names) }
    return try engine.run(given, states: StateBuffers(types: [:]), shouldStop: { false }) { outputs in
      try tensors(try outputs.map { ($0.name, try $0.value.detached()) }, names)
    }
  }

  private func tensors(_ all: [(String, Value)], _ names: [String]) throws -> [String: Tensor] {
    var result: [String: Tensor] = [:]
    for (name, value) in all where names.contains(name) {
      guard let tensor = value.tensor else {
        throw RuntimeError(.unsupported, "'\(name)', which training starts from, is \(value.type) and no array")
      }
      // Half precision is a form of storage: it is calculated with in single precision.
      result[name] = tensor.scalar == .float16 ? try tensor.converted(to: .float32) : tensor
    }
    return result
  }
}
