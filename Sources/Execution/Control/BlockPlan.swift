import CoreMLKernels
import MIL

/// A block of control flow, planned like a function: for certain types of its inputs and of what it reads from around it.
package final class BlockPlan: Sendable {
  /// Where an input of the plan comes from.
  enum Source: Sendable {
    /// What the block reads from around it, by its place in `Plan.Step.captured`.
    case captured(Int)
    /// An input of the block, by number.
    case input(Int)
  }

  /// An input of the plan: a slot of its own, or the number of memory that it reads in place (`Plan.Place.around`).
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

  /// What a block reads from around it.
  struct Captured: Sendable {
    let name: String
    /// Constants are constants of the plan, as they are stored: their weights are packed for it, once a model.
    let literal: Value?
    let weight: StoredWeight?
    let type: ValueType

    var isConstant: Bool { literal != nil || weight != nil }
  }

  /// Plans a block. What it reads from around it stays as it is through all rounds of a loop, and is read where whoever runs the plan has
  /// it; with `inPlace`, so are its inputs. `states` are the states around it.
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
  /// Names that operations of the block read, or that it gives.
  fileprivate var usedNames: Set<String> {
    var names = Set(outputs)
    for operation in operations {
      names.formUnion(operation.inputNames)
      for block in operation.blocks { names.formUnion(block.capturedNames) }
    }
    return names
  }
}
