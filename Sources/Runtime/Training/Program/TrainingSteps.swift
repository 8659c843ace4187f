import CoreMLBase
import CoreMLExecution
import CoreMLKernels
import MIL

/// The programs of a training, written when examples of their types first occur, and the states that they share.
final class TrainingSteps {
  let graph: TrainingGraph
  private let model: MLModel
  private let program: TrainingProgram
  private(set) var states: StateBuffers
  private var known: [Key: Made?] = [:]
  private var appliers: [OptimizerWriter.Step: Engine] = [:]

  private struct Key: Hashable {
    let action: TrainingProgram.Action
    let types: [String: TensorType]
    let count: Int
  }

  /// A program with its engine.
  struct Made {
    let written: TrainingProgram.Written
    let engine: Engine
  }

  /// The maximum number of cached programs. Each number of examples and each shape needs its own.
  private static let maximumPrograms = 16

  init(_ graph: TrainingGraph, _ model: MLModel) throws {
    self.graph = graph
    self.model = model
    program = TrainingProgram(graph: graph, pool: model.engine.pool)
    var types: [String: TensorType] = [:]
    for parameter in graph.parameters {
      types[TrainingProgram.state(parameter)] = parameter.tensor.type
      for moment in OptimizerWriter.Moment.allCases {
        types[TrainingProgram.state(parameter, moment)] = parameter.tensor.type
      }
    }
    states = try StateBuffers(types: types)
    for parameter in graph.parameters { try states.write(TrainingProgram.state(parameter), from: parameter.tensor) }
  }

  /// The program for `count` examples of these types at once; nil if they cannot be computed at once.
  func program(_ action: TrainingProgram.Action, types: [String: TensorType], count: Int) throws -> Made? {
    let key = Key(action: action, types: types, count: count)
    if let made = known[key] { return made }
    var made: Made?
    for axes in count == 1 ? [[:]] : candidates(types) {
      guard let written = try program.write(action, types: types, count: count, axes: axes) else { continue }
      made = Made(written: written, engine: engine(for: written.function))
      break
    }
    if known.count >= Self.maximumPrograms { known.removeAll() }
    known[key] = .some(made)
    return made
  }

  private func engine(for function: Function) -> Engine {
    Engine(function: function, devices: model.engine.devices, weights: model.engine.weights)
  }

  /// The candidate batch axes: an axis of size 1 in each value, preferably the second of a network's five axes.
  private func candidates(_ types: [String: TensorType]) -> [[String: Int]] {
    let values = graph.boundary.filter(\.isOfExample).map(\.name)
    func axes(_ choose: (TensorType) -> Int?) -> [String: Int]? {
      var result: [String: Int] = [:]
      for name in values {
        guard let type = types[name], let axis = choose(type), type.rank > axis, type.shape[axis] == 1 else {
          return nil
        }
        result[name] = axis
      }
      return result
    }
    let isLegacy = model.interface.arrayMapping == .rank5
    let all = [
      isLegacy ? axes { $0.rank == 5 || $0.rank == 3 ? 1 : 0 } : nil, axes { _ in 0 }, axes { $0.rank > 1 ? 1 : nil },
    ]
    var seen: Set<[String: Int]> = []
    return all.compactMap { $0 }.filter { seen.insert($0).inserted }
  }

  func run(_ made: Made, _ inputs: [String: Value]) throws -> Double {
    try made.engine.run(inputs, states: states, shouldStop: { false }) { outputs in
      guard let loss = try outputs.first?.value.tensor?.doubles().first else {
        throw RuntimeError(.evaluation, "the training gives no loss")
      }
      return loss
    }
  }

  /// Runs the optimizer's step with the accumulated gradients.
  func apply(_ step: OptimizerWriter.Step, _ numbers: [String: Value]) throws {
    let engine: Engine
    if let known = appliers[step] {
      engine = known
    } else {
      engine = self.engine(for: try program.apply(step))
      appliers[step] = engine
    }
    try engine.run(numbers, states: states, shouldStop: { false }) { _ in }
  }

  /// The current values of the parameters.
  func parameters() throws -> [(parameter: TrainingGraph.Parameter, tensor: Tensor)] {
    try graph.parameters.map { ($0, try states.read(TrainingProgram.state($0))) }
  }
}
