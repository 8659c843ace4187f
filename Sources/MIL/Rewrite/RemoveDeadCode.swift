/// Removes operations whose outputs have no reader and that have no effect. `write_state` changes a state, and
/// `train.loss` is needed for training.
package struct RemoveDeadCode: Pass {
  private static let effects: Set<String> = ["write_state", "train.loss"]

  package init() {}

  package func callAsFunction(_ function: Function) -> Function {
    var result = function
    var live = Set(function.body.outputs)
    var kept: [Operation] = []
    for operation in function.body.operations.reversed() {
      let hasEffect = Self.effects.contains(operation.type) || operation.blocks.contains { containsEffect($0) }
      guard hasEffect || operation.outputs.contains(where: { live.contains($0.name) }) else { continue }
      live.formUnion(operation.inputNames)
      for block in operation.blocks { live.formUnion(block.capturedNames) }
      kept.append(operation)
    }
    guard kept.count < function.body.operations.count else { return function }
    result.body.operations = kept.reversed()
    return result
  }

  private func containsEffect(_ block: Block) -> Bool {
    block.operations.contains { Self.effects.contains($0.type) || $0.blocks.contains { containsEffect($0) } }
  }
}
