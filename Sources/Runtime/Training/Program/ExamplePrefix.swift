import CoreMLBase
import CoreMLExecution
import CoreMLKernels
import Foundation
import MIL
import Synchronization

/// Computes the values of examples that training reads: everything before the first parameter. If examples are used
/// again, the results are cached within a memory limit.
///
/// The examples of a mini-batch are computed concurrently, one thread each. A single example uses all threads.
final class ExamplePrefix {
  private let graph: TrainingGraph
  private let boundary: Set<String>
  private let model: MLModel
  /// The engines for one example with all threads, and for several examples with one thread each. They share the
  /// model's packed weights.
  let wide: Engine
  let narrow: Engine
  /// Whether there is nothing to compute, because training reads the model's inputs directly.
  private let isEmpty: Bool
  private let targets: TrainingTargets
  private var kept: [Int: Row] = [:]
  private var keptBytes = 0
  private var lastTypes: [String: TensorType] = [:]

  /// The maximum size of the cache in bytes.
  private static let keepLimit = 256 << 20

  /// One example: its values of the prefix, and its target. The example itself, which may be much larger, is not kept.
  struct Row {
    let number: Int
    let values: [String: Tensor]
    /// The types of the values, including values that contribute only their shape.
    let types: [String: TensorType]
    let target: Tensor
    var byteCount: Int { values.values.reduce(0) { $0 + $1.byteCount } }
  }

  init(_ graph: TrainingGraph, _ function: Function, _ model: MLModel) throws {
    self.graph = graph
    self.model = model
    boundary = Set(graph.boundary.map(\.name))
    targets = try TrainingTargets(graph, function, model.modelDescription)
    isEmpty = graph.prefix.body.operations.allSatisfy { $0.type == "const" }
    let devices = model.engine.devices
    wide = Engine(function: graph.prefix, devices: devices, weights: model.engine.weights)
    let isOnCPU = devices.isOnCPU && devices.threads > 1
    narrow =
      isOnCPU
      ? Engine(
        function: graph.prefix,
        devices: DeviceChoice(threads: 1, allowsFusion: devices.allowsFusion, on: devices.deviceManager),
        weights: model.engine.weights) : wide
  }

  /// - Parameter comesAgain: whether the results should be cached because the examples are used again.
  func rows(_ numbers: ArraySlice<Int>, of data: any MLBatchProvider, comesAgain: Bool) throws -> [Row] {
    var rows: [Int: Row] = [:]
    var given: [(number: Int, target: Tensor, inputs: [String: Value])] = []
    for number in numbers where rows[number] == nil {
      if let row = kept[number] {
        rows[number] = row
        continue
      }
      let example = data.features(at: number)
      given.append(
        try RuntimeError.naming(example: number) {
          let inputs = try Prediction(model.content).values(of: example, for: wide)
          return (number, try targets.target(of: example), inputs)
        })
    }
    let shapes = Set(graph.boundary.filter(\.isShapeOnly).map(\.name))
    for (one, values) in zip(given, try computed(given.map(\.inputs))) {
      let row = Row(
        number: one.number, values: values.filter { !shapes.contains($0.key) }, types: shared(values.mapValues(\.type)),
        target: one.target)
      rows[one.number] = row
      guard comesAgain, !isEmpty, keptBytes + row.byteCount <= Self.keepLimit else { continue }
      kept[one.number] = row
      keptBytes += row.byteCount
    }
    return numbers.compactMap { rows[$0] }
  }

  func target(of row: Row, elements: Int) throws -> Tensor {
    try RuntimeError.naming(example: row.number) { try targets.checked(row.target, elements: elements) }
  }

  /// Shares the storage of types that equal those of the last example.
  private func shared(_ types: [String: TensorType]) -> [String: TensorType] {
    if types != lastTypes { lastTypes = types }
    return lastTypes
  }

  private func computed(_ inputs: [[String: Value]]) throws -> [[String: Tensor]] {
    if isEmpty { return try inputs.map { try tensors($0.map { ($0.key, $0.value) }) } }
    guard inputs.count > 1 else { return try inputs.map { try run($0, wide) } }
    let results = Mutex<[Result<[String: Tensor], any Error>?]>(Array(repeating: nil, count: inputs.count))
    let shared = UncheckedSendable((self, inputs))
    let bounds = WorkBounds()
    SystemThreads.perform(narrow === wide ? 1 : model.engine.devices.threads) { worker in
      let (prefix, inputs) = shared.value
      let step = prefix.narrow === prefix.wide ? 1 : prefix.model.engine.devices.threads
      for index in stride(from: worker, to: inputs.count, by: step) {
        let result = Result { try bounds.during { try prefix.run(inputs[index], prefix.narrow) } }
        results.withLock { $0[index] = result }
      }
    }
    return try results.withLock { $0 }.compactMap { try $0?.get() }
  }

  private func run(_ given: [String: Value], _ engine: Engine) throws -> [String: Tensor] {
    try engine.run(given, states: StateBuffers(types: [:]), shouldStop: { false }) { outputs in
      try tensors(outputs.map { ($0.name, try $0.value.detached()) })
    }
  }

  private func tensors(_ all: [(String, Value)]) throws -> [String: Tensor] {
    var result: [String: Tensor] = [:]
    for (name, value) in all where boundary.contains(name) {
      guard let tensor = value.tensor else {
        throw RuntimeError(.unsupported, "'\(name)', which training starts from, is \(value.type) and no array")
      }
      // fp16 is only a storage format; training computes in fp32.
      result[name] = tensor.scalar == .float16 ? try tensor.converted(to: .float32) : tensor
    }
    return result
  }
}

extension RuntimeError {
  /// Runs `body` and adds the number of the training example to an error about an input.
  static func naming<Result>(example number: Int, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as RuntimeError where error.code == .invalidInput {
      throw RuntimeError(error.code, "training example \(number): \(error.message)", file: error.file)
    }
  }
}
