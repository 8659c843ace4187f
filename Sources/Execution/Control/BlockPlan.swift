import CoreMLKernels
import MIL

/// The plan of a control-flow block, for given types of its inputs and captured values.
package final class BlockPlan: Sendable {
  /// The source of an input of the plan.
  enum Source: Sendable {
    /// A captured value, by its index in `Plan.Step.captured`.
    case captured(Int)
    /// An input of the block, by number.
    case input(Int)
  }

  /// An input of the plan. Its slot has own memory, or is read in place from an outer scope (`Plan.Storage.outer`).
  struct Input: Sendable {
    let source: Source
    let slot: Int
  }

  package let plan: Plan
  let inputs: [Input]
  /// The slots of the block's outputs, in order.
  let outputs: [Int]

  private init(plan: Plan, inputs: [Input], outputs: [Int]) {
    (self.plan, self.inputs, self.outputs) = (plan, inputs, outputs)
  }

  /// A captured value of a block.
  struct Captured: Sendable {
    let name: String
    /// Constants become constants of the plan in stored form. Their weights are packed once per model.
    let literal: Value?
    let weight: StoredWeight?
    let type: ValueType

    var isConstant: Bool { literal != nil || weight != nil }
  }

  /// Plans a block. Captured values do not change during a loop, so the plan reads them in place. With `inPlace`, it
  /// reads the inputs in place too. `states` are the states of the enclosing function.
  static func make(
    _ block: Block, inputs types: [ValueType], captured: [Captured], states: [NamedType], inPlace: Bool,
    planner: Planner
  ) throws -> BlockPlan {
    let reads = block.capturedNames
    var function = Function(inputs: states.filter { reads.contains($0.name) }, opset: "", body: Block())
    var sources: [(name: String, source: Source)] = []
    var outer: Set<String> = []
    var given: [String: StoredWeight] = [:]
    for (place, value) in captured.enumerated() where reads.contains(value.name) {
      if let literal = value.literal {
        function.body.operations.append(.const(value.name, literal))
        continue
      }
      function.inputs.append(NamedType(value.name, value.type))
      if let weight = value.weight {
        given[value.name] = weight
        continue
      }
      sources.append((value.name, .captured(place)))
      if value.type.isPlanned { outer.insert(value.name) }
    }
    let used = block.usedNames
    for (number, (input, type)) in zip(block.inputs, types).enumerated() where !inPlace || used.contains(input.name) {
      function.inputs.append(NamedType(input.name, type))
      sources.append((input.name, .input(number)))
      if inPlace, type.isPlanned { outer.insert(input.name) }
    }
    function.body.operations += block.operations
    function.body.outputs = block.outputs
    let allowsFusion = planner.lower.allowsFusion
    let specialised = try function.after(
      Specialize(
        pool: planner.pool, foldsF16: true, recognisesLoops: allowsFusion, given: given, weights: planner.weights))
    let names = block.outputs.indices.map(\.description)
    let plan = try planner.plan(specialised, outputNames: names, outer: outer, given: given)
    return BlockPlan(
      plan: plan,
      inputs: try sources.map { name, source in
        guard let slot = plan.inputs[name] else { throw MILError(.invalidProgram, "'\(name)' has no place in a block") }
        return Input(source: source, slot: slot)
      }, outputs: plan.outputs.map(\.slot))
  }
}

extension Block {
  /// The names that operations of the block read, or that are its outputs.
  fileprivate var usedNames: Set<String> {
    var names = Set(outputs)
    for operation in operations {
      names.formUnion(operation.inputNames)
      for block in operation.blocks { names.formUnion(block.capturedNames) }
    }
    return names
  }
}
