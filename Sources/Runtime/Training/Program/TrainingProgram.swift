import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import MIL

/// Writes the programs of a training: the loss of some examples, its gradients, and the use of these gradients.
///
/// Parameters and optimizer moments are states of the programs, so they stay in place between steps. Prefix values,
/// targets and the optimizer's scalars are inputs.
struct TrainingProgram {
  enum Action: Hashable {
    /// The complete mini-batch: the program updates the parameters.
    case step(OptimizerWriter.Step)
    /// A part of a mini-batch: the program adds the gradients to the accumulated ones.
    case accumulate
  }

  /// The names of inputs; no value of a model has these names.
  static let targets = "training.targets"
  static let factor = "training.factor"
  static let loss = "training.loss"
  static func name(_ number: OptimizerWriter.Number) -> String { "training.\(number.rawValue)" }
  static func state(_ parameter: TrainingGraph.Parameter) -> String { "training.parameter.\(parameter.index)" }
  static func state(_ parameter: TrainingGraph.Parameter, _ moment: OptimizerWriter.Moment) -> String {
    "training.\(moment.rawValue).\(parameter.index)"
  }

  let graph: TrainingGraph
  let pool: ThreadPool

  /// A program for examples of given types.
  struct Written {
    let function: Function
    /// The batch axis of each input that has one.
    let axes: [String: Int]
    /// The type of the targets.
    let targets: TensorType
    /// The number of elements of the loss's input per example, and its batch axis.
    let elements: Int
    let axis: Int
  }

  // MARK: steps

  /// - Parameters:
  ///   - types: the types of one example's prefix values.
  ///   - count: the number of examples to compute at once.
  ///   - axes: the batch axis of each value.
  /// - Returns: nil if examples would mix at that count.
  func write(
    _ action: Action, types: [String: TensorType], count: Int, axes: [String: Int]
  ) throws -> Written? {
    var own = types
    if count > 1 {
      for (name, axis) in axes {
        guard var type = types[name], type.rank > axis, type.shape[axis] == 1 else { return nil }
        type.shape[axis] = Dimension(count)
        own[name] = type
      }
    }
    let model: Function
    do {
      model = try specialised(own)
    } catch let error as MILError where count > 1 && !error.isOfBounds {
      // Sizes that are constants for one example do not match several.
      return nil
    }
    var axis = 0
    if count > 1 {
      guard let found = BatchAxes.output(of: model, axes: axes, count: count) else { return nil }
      axis = found
    }
    return try write(action, model, count: count, axis: axis, axes: count > 1 ? axes : [:])
  }

  /// The operations from the prefix's values to the loss's input, with concrete types.
  private func specialised(_ types: [String: TensorType]) throws -> Function {
    let inputs =
      types.sorted { $0.key < $1.key }.map { NamedType($0.key, .tensor($0.value)) }
      + graph.parameters.map { NamedType($0.name, .tensor($0.tensor.type)) }
    let function = Function(
      inputs: inputs, opset: Opset.iOS18.rawValue,
      body: Block(operations: graph.operations, outputs: [graph.lossInput]))
    let known = Dictionary(
      inputs.compactMap { input in input.type.tensor.map { (input.name, $0) } }, uniquingKeysWith: { first, _ in first }
    )
    let specialise = Specialize(pool: pool, inputs: known, foldsF16: true, keepsStored: false)
    // Between these two passes, values still have the declared types of one example while the inputs have several. So
    // the program can be verified only after both.
    let widen = WidenF16(keepsStored: false)
    return try specialise(widen(function)).verified(after: "a training's specialisation").after(RemoveDeadCode())
  }

  private func write(
    _ action: Action, _ model: Function, count: Int, axis: Int, axes: [String: Int]
  ) throws -> Written {
    var writer = StepWriter(graph: graph)
    var values: [String: Binding] = [:]
    let read = Set(model.body.operations.flatMap(\.inputNames) + model.body.outputs)
    let parameters = Set(graph.parameters.map(\.name))
    for input in model.inputs where read.contains(input.name) && !parameters.contains(input.name) {
      values[input.name] = writer.emit.input(input.name, input.type)
    }
    for parameter in graph.parameters { values[parameter.name] = try writer.read(parameter) }
    let sources = Set(graph.parameters.compactMap { values[$0.name]?.name })
    var pass = Differentiate(writer.emit, values: values)
    try pass.forward(model.body.operations, sources: sources)
    guard let output = model.body.outputs.first, let result = pass.values[output] else {
      throw MILError(.invalidProgram, "'\(graph.lossInput)' is not computed")
    }
    let loss = LossWriter(emit: writer.emit, kind: graph.kind, count: count, axis: axis)
    let targets = loss.targetType(try writer.emit.type(result))
    let softmax = try softmax(of: output, model, elements: loss.elements(result)).flatMap { pass.values[$0] }
    let before = writer.emit.builder.operations.count
    let number = try loss.write(
      result, softmax: softmax, target: writer.emit.input(Self.targets, .tensor(targets)),
      factor: writer.emit.input(Self.factor, .tensor(TensorType(.float32, [Int]()))))
    pass.follow(from: before)
    let gradients = try pass.backward(
      from: number, seed: writer.emit.number(1, like: number), to: graph.parameters.map { values[$0.name]?.name ?? "" })
    try writer.finish(action, gradients, values)
    return Written(
      function: try writer.function(loss: number), axes: axes, targets: targets, elements: try loss.elements(result),
      axis: axis)
  }

  /// The input of the softmax that computes the loss's input, if that is a softmax over all elements of an example.
  private func softmax(of output: String, _ model: Function, elements: Int) throws -> String? {
    guard graph.kind == .categoricalCrossEntropy else { return nil }
    let makers = Dictionary(
      model.body.operations.compactMap { operation in operation.outputs.first.map { ($0.name, operation) } },
      uniquingKeysWith: { first, _ in first })
    var name = output
    while let maker = makers[name], ["identity", "reshape", "squeeze", "expand_dims"].contains(maker.type) {
      guard let before = maker.inputs["x"]?.first?.name else { return nil }
      name = before
    }
    guard let maker = makers[name], maker.type == "softmax", let x = maker.inputs["x"]?.first?.name,
      let shape = maker.outputs[0].type.tensor?.concreteShape
    else { return nil }
    let given = try maker.value("axis", model.constants)?.tensor?.ints().first ?? -1
    let axis = given < 0 ? given + shape.count : given
    return shape.indices.contains(axis) && shape[axis] == elements ? x : nil
  }

  /// The step after a mini-batch whose gradients were accumulated.
  func apply(_ step: OptimizerWriter.Step) throws -> Function {
    var writer = StepWriter(graph: graph)
    var values: [String: Binding] = [:]
    for parameter in graph.parameters { values[parameter.name] = try writer.read(parameter) }
    let sums = try graph.parameters.map { try writer.read($0, .sum) }
    try writer.finish(.step(step), sums, values)
    for (parameter, sum) in zip(graph.parameters, sums) {
      try writer.write(writer.emit.zeros(parameter.tensor.shape, like: sum), to: Self.state(parameter, .sum))
    }
    return try writer.function(loss: nil)
  }
}
