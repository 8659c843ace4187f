import CoreMLImport
import MIL

/// Writes what a training program does with the gradients, and tracks the states that it uses.
struct StepWriter {
  let emit = Emitter(Builder())
  private let graph: TrainingGraph

  init(graph: TrainingGraph) { self.graph = graph }

  // MARK: states

  mutating func read(_ parameter: TrainingGraph.Parameter) throws -> Binding {
    try read(TrainingProgram.state(parameter), parameter.tensor.type)
  }

  mutating func read(_ parameter: TrainingGraph.Parameter, _ moment: OptimizerWriter.Moment) throws -> Binding {
    try read(TrainingProgram.state(parameter, moment), parameter.tensor.type)
  }

  private mutating func read(_ name: String, _ type: TensorType) throws -> Binding {
    let state = emit.input(name, .state(type))
    return try emit("read_state", ["input": state])
  }

  mutating func write(_ value: Binding, to state: String) throws {
    _ = try emit.all("write_state", ["input": [.name(state)], "data": [value]])
  }

  // MARK: use of gradients

  /// Writes the action. A parameter on which the loss does not depend for these shapes has a zero gradient.
  mutating func finish(
    _ action: TrainingProgram.Action, _ gradients: [Binding?], _ values: [String: Binding]
  ) throws {
    switch action {
    case .accumulate:
      for (parameter, gradient) in zip(graph.parameters, gradients) {
        guard let gradient else { continue }
        let sum = try emit.add(read(parameter, .sum), gradient)
        try write(sum, to: TrainingProgram.state(parameter, .sum))
      }
    case .step(let step):
      let optimizer = OptimizerWriter(emit: emit, numbers: numbers(of: step))
      for (parameter, gradient) in zip(graph.parameters, gradients) {
        guard let weight = values[parameter.name] else { continue }
        var moments: [OptimizerWriter.Moment: Binding] = [:]
        for moment in step.moments { moments[moment] = try read(parameter, moment) }
        let after = try optimizer.write(
          step, weight, gradient ?? emit.zeros(parameter.tensor.shape, like: weight), moments)
        try write(after.weight, to: TrainingProgram.state(parameter))
        for (moment, value) in after.moments { try write(value, to: TrainingProgram.state(parameter, moment)) }
      }
    }
  }

  private func numbers(of step: OptimizerWriter.Step) -> [OptimizerWriter.Number: Binding] {
    Dictionary(
      uniqueKeysWithValues: step.numbers.map { number in
        (number, emit.input(TrainingProgram.name(number), .tensor(TensorType(.float32, [Int]()))))
      })
  }

  func function(loss: Binding?) throws -> Function {
    let output = loss?.name.map { [$0] } ?? []
    var body = emit.builder.block(outputs: output)
    body.inputs = []
    var function = Function(inputs: emit.builder.inputs, opset: Opset.iOS18.rawValue, body: body)
    function.featureOutputNames = output.map { _ in TrainingProgram.loss }
    return try function.verified(after: "a training step was written")
  }
}
