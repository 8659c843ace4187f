import CoreMLBase
import CoreMLKernels
import MIL

/// The values and step candidates that differ for other shapes.
struct ChangedCandidates {
  fileprivate(set) var slots: [Int: PlanCandidates.Slot] = [:]
  /// By draft.
  fileprivate(set) var drafts: [Int: StepCandidates] = [:]
  /// The drafts that have the kernels of another one, since they compute the same.
  fileprivate(set) var sharing: [Int: Int] = [:]
}

/// The step candidates of a template, with what instances ask of them.
struct CandidateRecord {
  let candidates: PlanCandidates
  /// The number of each draft's `OperationGroups`.
  private let groups: [Int?]
  /// The drafts that read each value.
  private let readers: [[Int]]

  init(_ candidates: PlanCandidates) {
    self.candidates = candidates
    var found = OperationGroups()
    groups = candidates.drafts.map { draft in
      Self.mayShare(draft, candidates)
        ? found.group(of: draft.operation, candidates.names.scope, candidates.names.stored) : nil
    }
    var readers = Array(repeating: [Int](), count: candidates.slots.count)
    for (number, draft) in candidates.drafts.enumerated() {
      for slot in draft.inputs where readers[slot].last != number { readers[slot].append(number) }
    }
    self.readers = readers
  }

  /// Operations whose kernels do not know the name of their operation.
  private static let nameless: Set<String> = [
    AttentionShape.operationName, "slice_update", "slice_by_index", "cast", "add", "sub", "mul", "matmul", "softmax",
    "layer_norm", "transpose", "reshape", "concat",
  ]

  /// Whether the kernels of a draft may serve another one that computes the same. Kernels of weights differ by their
  /// elements, times depend on what was measured before, and an error of an index at run time names the operation.
  private static func mayShare(_ draft: StepCandidates, _ candidates: PlanCandidates) -> Bool {
    nameless.contains(draft.operation.type) && candidates.devices[draft.device].timings == nil
      && draft.inputs.allSatisfy { slot in
        let operand = candidates.slots[slot]
        return operand.literal != nil || operand.weight == nil && operand.type.tensor?.scalar.isFloat == true
      }
  }

  /// The candidates for other shapes: those that depend on what changed are looked for again.
  ///
  /// - Parameter overlay: What changed in the lowered function, the only region.
  /// - Returns: Nil if weights would change.
  func changes(_ overlay: Overlay) throws -> ChangedCandidates? {
    var result = ChangedCandidates()
    var affected: Set<Int> = []
    var operations: [Int: Operation] = [:]
    func change(_ slot: Int, _ type: ValueType, _ literal: Value? = nil) {
      result.slots[slot] = candidates.slots[slot].changed(to: type, literal: literal)
      affected.formUnion(readers[slot])
    }
    for input in overlay.inputs {
      guard let slot = candidates.index[input.name], candidates.slots[slot].type != input.type else { continue }
      change(slot, input.type)
    }
    for (position, operation) in overlay.operations {
      switch candidates.places[position] {
      case .weights: return nil
      case .constant(let slot):
        guard let value = operation.constant else { return nil }
        change(slot, value.type, value)
      case .draft(let draft):
        operations[draft] = operation
        affected.insert(draft)
        let own = candidates.drafts[draft]
        for (output, slot) in zip(operation.outputs, own.outputs) where candidates.slots[slot].type != output.type {
          change(slot, output.type)
        }
        for (binding, slot) in zip(KernelProblem.order(of: operation), own.inputs) {
          guard case .literal(let value) = binding.binding, !value.isSame(as: candidates.slots[slot].literal) else {
            continue
          }
          change(slot, value.type, value)
        }
      }
    }
    var known: [Int: [Int]] = [:]
    for draft in affected.sorted() {
      try Cancellation.check()
      let operation = operations[draft] ?? candidates.drafts[draft].operation
      if let group = groups[draft],
        let other = known[group]?.first(where: { computesTheSame($0, draft, result.slots) }),
        let action = result.drafts[other]?.action
      {
        result.sharing[draft] = other
        result.drafts[draft] = StepCandidates(candidates.drafts[draft], operation, action)
        continue
      }
      if let group = groups[draft] { known[group, default: []].append(draft) }
      let own = candidates.drafts[draft]
      let action = try candidates.action(
        operation, own.device, own.inputs.map { result.slots[$0] ?? candidates.slots[$0] },
        own.outputs.map { result.slots[$0] ?? candidates.slots[$0] }, candidates.names.stored.weights)
      result.drafts[draft] = StepCandidates(own, operation, action)
    }
    return result
  }

  /// Whether two drafts of one group have the same operands and results for other shapes, too.
  private func computesTheSame(_ a: Int, _ b: Int, _ changed: [Int: PlanCandidates.Slot]) -> Bool {
    let (first, second) = (candidates.drafts[a], candidates.drafts[b])
    return zip(first.inputs + first.outputs, second.inputs + second.outputs).allSatisfy { one, other in
      switch (changed[one], changed[other]) {
      case (nil, nil): return true
      case (let one?, let other?):
        guard one.type == other.type else { return false }
        guard let literal = one.literal else { return other.literal == nil }
        return literal.isSame(as: other.literal)
      default: return false
      }
    }
  }

  /// All candidates for the other shapes.
  func applying(_ changes: ChangedCandidates) -> PlanCandidates {
    var result = candidates
    for (slot, new) in changes.slots { result.slots[slot] = new }
    for (draft, new) in changes.drafts { result.drafts[draft] = new }
    return result
  }
}

extension StepCandidates {
  fileprivate init(_ other: StepCandidates, _ operation: Operation, _ action: Action) {
    self.init(
      operation: operation, device: other.device, action: action, inputs: other.inputs, outputs: other.outputs,
      captured: other.captured, capturedNames: other.capturedNames, states: other.states)
  }
}

extension Value {
  /// The comparison of two values in the same memory reads no elements.
  fileprivate func isSame(as other: Value?) -> Bool {
    guard let other else { return false }
    if let own = tensor, let tensor = other.tensor, own.storage === tensor.storage, own.shape == tensor.shape,
      own.scalar == tensor.scalar
    {
      return true
    }
    return isSame(as: other)
  }
}
