import CoreMLBase
import CoreMLKernels
import MIL

/// A plan whose steps can be exchanged one by one. All its values are dense and in memory of the host, so that other
/// kernels need no other steps.
struct PlanPatch {
  private let plan: Plan
  private let builder: PlanBuilder
  private let uses: MemoryUses
  /// The slot of the plan that holds each value.
  private let slots: [Int: Int]
  /// By slot of the plan.
  private let places: [Place]
  /// By step.
  private let scratchBytes: [Int]

  private enum Place: Equatable {
    case arena(Int)
    case external(Int)
    case other
  }

  /// Nil for plans with other layouts, and for those with shapes that only a run determines.
  init?(_ plan: Plan, _ builder: PlanBuilder, _ candidates: PlanCandidates) {
    guard let uses = builder.uses, plan.slots.allSatisfy({ !$0.storage.isEnvironment || $0.type.isState }),
      plan.steps.count == candidates.drafts.count,
      !candidates.drafts.contains(where: \.gainsByLayout),
      builder.forms.allSatisfy({ $0.device == 0 && $0.layout == .dense })
    else { return nil }
    (self.plan, self.builder, self.uses) = (plan, builder, uses)
    slots = Dictionary(builder.forms.enumerated().map { ($1.value, $0) }, uniquingKeysWith: { first, _ in first })
    places = plan.slots.map { slot in
      switch slot.storage {
      case .arena(let offset): .arena(offset)
      case .external(let number): .external(number)
      case .literal, .packed, .outer, .environment: .other
      }
    }
    scratchBytes = builder.prepared.map { $0.candidate?.scratchBytes ?? 0 }
  }

  /// The plan for other shapes. Nil if it could have other steps.
  func applied(_ changes: ChangedCandidates, memory: PlanningMemory) throws -> Plan? {
    var (steps, uses, scratchBytes) = (plan.steps, uses, scratchBytes)
    var prepared: [Int: PreparedStep] = [:]
    for (number, draft) in changes.drafts.sorted(by: { $0.key < $1.key }) {
      try Cancellation.check()
      guard !draft.gainsByLayout else { return nil }
      let made =
        try changes.sharing[number].flatMap { prepared[$0] }.map { PreparedStep($0, for: draft.operation) }
        ?? builder.decided(draft, draft.options?.all[draft.firstDense])
      prepared[number] = made
      let step = Plan.Step(steps[number], made)
      // Another set of packed operands could need weights in another form.
      guard step.packed == steps[number].packed else { return nil }
      steps[number] = step
      uses.replace(number, step, made.candidate)
      scratchBytes[number] = made.candidate?.scratchBytes ?? 0
    }
    var changed: [Int: PlanCandidates.Slot] = [:]
    for (value, new) in changes.slots {
      guard let slot = slots[value] else { continue }
      changed[slot] = new
      uses.resize(slot, to: new.type.tensor?.byteCount ?? 0)
    }
    let (lives, externals) = uses.shared()
    let layout = try lives.layOut()
    var result = plan.slots
    for slot in result.indices {
      let place: Place
      if places[slot] == .other {
        place = .other
      } else if let number = lives.external(of: slot) {
        place = .external(number)
      } else if let offset = layout.offsets[slot] {
        place = .arena(offset)
      } else {
        return nil
      }
      let new = changed[slot]
      guard new != nil || place != places[slot] else { continue }
      let old = result[slot]
      let storage: Plan.Storage
      switch (place, new?.literal) {
      case (.arena(let offset), _): storage = .arena(offset)
      case (.external(let number), _): storage = .external(number)
      case (.other, let literal?): storage = .literal(literal)
      case (.other, nil): return nil
      }
      result[slot] = Plan.Slot(
        name: old.name, type: new?.type ?? old.type, device: old.device, layout: old.layout, storage: storage)
    }
    return Plan(
      slots: result, steps: steps, inputs: plan.inputs, outputs: plan.outputs, externals: externals,
      arenaBytes: layout.arenaBytes, scratchBytes: [scratchBytes.max() ?? 0], environmentCount: plan.environmentCount,
      pool: plan.pool,
      deviceConstants: plan.deviceConstants, notes: plan.notes, memory: memory, family: plan.family)
  }
}

extension Plan.Storage {
  fileprivate var isEnvironment: Bool {
    if case .environment = self { return true }
    return false
  }
}
