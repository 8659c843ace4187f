import CoreMLBase
import CoreMLKernels
import MIL

extension PlanCandidates {
  /// The candidates for other shapes: those that depend on what changed are looked for again.
  ///
  /// - Parameters:
  ///   - overlay: What changed in `function`, the only region.
  ///   - affected: Receives the drafts that were looked for again.
  /// - Returns: Nil if weights would change.
  func replayed(_ overlay: Overlay, of function: Function, affected: inout Set<Int>) throws -> PlanCandidates? {
    var result = self
    for input in overlay.inputs {
      guard let slot = index[input.name], slots[slot].type != input.type else { continue }
      result.set(slot, input.type)
      result.names.scope.define(input.name, input.type)
      result.mark(readersOf: input.name, in: function, &affected)
    }
    for (position, operation) in overlay.operations {
      switch places[position] {
      case .weights: return nil
      case .constant(let slot):
        guard let value = operation.constant, let output = operation.outputs.first else { return nil }
        result.set(slot, value.type, literal: value)
        result.names.scope.define(output.name, value.type, value: value)
        result.mark(readersOf: output.name, in: function, &affected)
      case .draft(let draft):
        affected.insert(draft)
        for (output, slot) in zip(operation.outputs, drafts[draft].outputs) where slots[slot].type != output.type {
          result.set(slot, output.type)
          result.names.scope.define(output.name, output.type)
          result.mark(readersOf: output.name, in: function, &affected)
        }
        for (binding, slot) in zip(KernelProblem.order(of: operation), drafts[draft].inputs) {
          if case .literal(let value) = binding.binding { result.set(slot, value.type, literal: value) }
        }
      }
    }
    for (position, place) in places.enumerated() {
      guard case .draft(let draft) = place, affected.contains(draft) else { continue }
      try Cancellation.check()
      let old = drafts[draft]
      let operation = overlay.operations[position] ?? old.operation
      result.drafts[draft] = StepCandidates(
        operation: operation, device: old.device,
        action: try result.action(operation, old.device, old.inputs, old.outputs, result.names), inputs: old.inputs,
        outputs: old.outputs, captured: old.captured, capturedNames: old.capturedNames, states: old.states)
    }
    return result
  }

  private func mark(readersOf name: String, in function: Function, _ affected: inout Set<Int>) {
    for reader in Uses(function).readers(of: name) {
      if case .draft(let draft) = places[reader] { affected.insert(draft) }
    }
  }
}
