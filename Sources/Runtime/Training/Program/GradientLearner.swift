import CoreMLBase
import CoreMLImport
import Foundation
import MIL

/// Trains a model by gradient descent: updates the parameters that the model marks to reduce its loss on each
/// mini-batch.
///
/// If the program supports batching, the examples of a mini-batch are computed as one batch, as many as the memory
/// limit of a step allows. Otherwise they are computed one after the other, and their gradients are added.
final class GradientLearner: Learner {
  private var model: ImportedModel
  private let function: String
  private let graph: TrainingGraph
  private let prefix: ExamplePrefix
  private let steps: TrainingSteps
  /// The number of steps so far, for Adam's bias correction.
  private var stepCount = 0

  /// The maximum bytes of prefix values in one part of a mini-batch; larger mini-batches are split.
  private static let partLimit = 32 << 20

  /// Returns nil for a model without a loss.
  init?(_ model: ImportedModel, _ loaded: MLModel) throws {
    let name = "main"
    guard let function = model.program.functions[name], let graph = try TrainingGraph(function) else { return nil }
    self.model = model
    self.function = name
    self.graph = graph
    prefix = try ExamplePrefix(graph, function, loaded)
    steps = try TrainingSteps(graph, loaded)
  }

  func learn(_ examples: ArraySlice<Int>, of data: any MLBatchProvider, _ values: UpdateValues) throws -> Double? {
    let step = step(values)
    let rows = try prefix.rows(examples, of: data, comesAgain: values.epochs > 1)
    let factor = 1 / Double(rows.count)
    let parts = Self.parts(rows)
    stepCount += 1
    if parts.count == 1, let made = try steps.program(.step(step), types: rows[0].types, count: rows.count) {
      return try run(made, parts[0], factor, numbers(step, values))
    }
    var loss = 0.0
    for part in parts { loss += try accumulate(part, factor) }
    // A loss that is not finite ends the training, and the accumulated gradients are discarded.
    guard loss.isFinite else { return loss }
    try steps.apply(step, numbers(step, values))
    return loss
  }

  /// Splits a mini-batch into parts: adjacent examples of equal types, within the memory limit.
  private static func parts(_ rows: [ExamplePrefix.Row]) -> [[ExamplePrefix.Row]] {
    var parts: [[ExamplePrefix.Row]] = []
    var types: [String: TensorType]?
    var bytes = 0
    for row in rows {
      let own = row.byteCount
      if row.types == types, bytes + own <= partLimit {
        parts[parts.count - 1].append(row)
        bytes += own
      } else {
        parts.append([row])
        (types, bytes) = (row.types, own)
      }
    }
    return parts
  }

  private func accumulate(_ rows: [ExamplePrefix.Row], _ factor: Double) throws -> Double {
    if let made = try steps.program(.accumulate, types: rows[0].types, count: rows.count) {
      return try run(made, rows, factor, [:])
    }
    var loss = 0.0
    for row in rows {
      guard let made = try steps.program(.accumulate, types: row.types, count: 1) else {
        throw RuntimeError(.evaluation, "one example cannot be computed")
      }
      loss += try run(made, [row], factor, [:])
    }
    return loss
  }

  private func run(
    _ made: TrainingSteps.Made, _ rows: [ExamplePrefix.Row], _ factor: Double, _ numbers: [String: Value]
  ) throws -> Double {
    var inputs = numbers
    for (name, tensor) in rows[0].values {
      guard let axis = made.written.axes[name] else {
        inputs[name] = .tensor(tensor)
        continue
      }
      inputs[name] = .tensor(try Tensor.joined(rows.compactMap { $0.values[name] }, axis: axis))
    }
    let targets = try rows.map { try prefix.target(of: $0, elements: made.written.elements) }
    inputs[TrainingProgram.targets] = .tensor(try arranged(targets, made.written))
    inputs[TrainingProgram.factor] = .tensor(try Tensor(.float32, shape: [], doubles: [factor]))
    return try steps.run(made, inputs)
  }

  /// Converts targets to the type of the loss: a vector of class indices, or numbers in the layout of the loss's input.
  private func arranged(_ targets: [Tensor], _ written: TrainingProgram.Written) throws -> Tensor {
    guard let shape = written.targets.concreteShape else {
      throw RuntimeError(.evaluation, "the targets' type \(written.targets) is not known")
    }
    guard graph.kind == .meanSquaredError else { return try Tensor.joined(targets, axis: 0) }
    var own = shape
    let axis = written.axis
    if targets.count > 1 { own[axis] = 1 }
    return try Tensor.joined(targets.map { try $0.reshaped(own) }, axis: axis)
  }

  // MARK: optimizer

  private func step(_ values: UpdateValues) -> OptimizerWriter.Step {
    switch graph.optimizer {
    case .sgd: values.momentum == 0 ? .plain : .momentum
    case .adam: .adam
    }
  }

  /// The scalars that a step reads, computed in double precision and rounded once.
  private func numbers(_ step: OptimizerWriter.Step, _ values: UpdateValues) throws -> [String: Value] {
    let time = Double(stepCount)
    var all: [OptimizerWriter.Number: Double] = [
      .rate: values.learningRate, .momentum: values.momentum, .eps: values.eps, .beta1: values.beta1,
      .beta2: values.beta2, .rest1: 1 - values.beta1, .rest2: 1 - values.beta2,
    ]
    if step == .adam {
      all[.rate] = values.learningRate / (1 - pow(values.beta1, time))
      all[.rootCorrection] = 1 / (1 - pow(values.beta2, time)).squareRoot()
    }
    var result: [String: Value] = [:]
    for number in step.numbers {
      result[TrainingProgram.name(number)] = .tensor(
        try Tensor(.float32, shape: [], doubles: [all[number] ?? 0]))
    }
    return result
  }

  // MARK: result

  func checkFinite() throws {
    for (parameter, tensor) in try steps.parameters() where try !tensor.floats().allSatisfy(\.isFinite) {
      throw RuntimeError(.evaluation, "the weight '\(parameter.name)' is not finite after the last step")
    }
  }

  func current() throws -> ImportedModel {
    var result = model
    for (parameter, tensor) in try steps.parameters() {
      result.program.functions[function]?.body.operations[parameter.index].inputs["x"] = [.tensor(tensor)]
    }
    if let function = result.program.functions[function] {
      // Removes the original constants of trained parameters. Runs even if the training was cancelled, because the
      // result so far is still returned.
      result.program.functions[self.function] = try Cancellation().during { try function.after(RemoveDeadCode()) }
    }
    return result
  }
}

extension Tensor {
  /// Concatenates tensors of one type, each of size 1 along the axis.
  static func joined(_ parts: [Tensor], axis: Int) throws -> Tensor {
    guard let first = parts.first, parts.count > 1 else {
      guard let first = parts.first else { throw MILError(.invalidShape, "there is nothing to join") }
      return first
    }
    var shape = first.shape
    shape[axis] = parts.count
    let result = try Tensor.zeros(first.scalar, shape: shape)
    guard let target = result.storage.mutablePointer else { return result }
    let outer = first.shape[..<axis].reduce(1, *)
    let inner = first.byteCount / max(outer, 1)
    for (number, part) in parts.enumerated() {
      guard part.type == first.type else { throw MILError(.invalidShape, "\(part.type) cannot join \(first.type)") }
      part.withUnsafeBytes { bytes in
        guard let source = bytes.baseAddress else { return }
        for block in 0..<outer {
          (target + (block * parts.count + number) * inner).copyMemory(from: source + block * inner, byteCount: inner)
        }
      }
    }
    return result
  }
}
