import MIL

extension Plan {
  /// The first difference from another plan as a sentence; nil if both have the same steps, values and memory.
  func difference(from other: Plan) -> String? {
    guard steps.count == other.steps.count else { return "\(steps.count) and \(other.steps.count) steps" }
    for (index, (step, expected)) in zip(steps, other.steps).enumerated() {
      if let difference = step.difference(from: expected) { return "step \(index) (\(step.label)): \(difference)" }
    }
    guard slots.count == other.slots.count else { return "\(slots.count) and \(other.slots.count) values" }
    for (slot, expected) in zip(slots, other.slots) {
      if let difference = slot.difference(from: expected) { return "'\(slot.name)': \(difference)" }
    }
    guard arenaBytes == other.arenaBytes, scratchBytes == other.scratchBytes else {
      return "\(arenaBytes) + \(scratchBytes) and \(other.arenaBytes) + \(other.scratchBytes) bytes"
    }
    guard outputs.elementsEqual(other.outputs, by: ==), inputs == other.inputs else { return "other features" }
    return nil
  }
}

extension Plan.Step {
  fileprivate func difference(from other: Plan.Step) -> String? {
    let (operation, expected) = (choice.operation, other.choice.operation)
    guard operation.type == expected.type, choice.kernel == other.choice.kernel else {
      return "\(operation.type) by \(choice.kernel) and \(expected.type) by \(other.choice.kernel)"
    }
    guard operation.hasStructure(of: expected), operation.isSame(as: expected) else {
      return "the operations \(operation.outputs) \(operation.inputs) and \(expected.outputs) \(expected.inputs)"
    }
    guard inputs == other.inputs, outputs == other.outputs, captured == other.captured, packed == other.packed,
      waits == other.waits, device == other.device
    else { return "other operands" }
    return nil
  }
}

extension Plan.Slot {
  fileprivate func difference(from other: Plan.Slot) -> String? {
    guard name == other.name, type == other.type, layout == other.layout else {
      return "\(type) and '\(other.name)' of \(other.type)"
    }
    switch (storage, other.storage) {
    case (.arena(let a), .arena(let b)), (.outer(let a), .outer(let b)), (.external(let a), .external(let b)),
      (.environment(let a), .environment(let b)):
      return a == b ? nil : "at \(a) and \(b)"
    case (.literal(let a), .literal(let b)): return a.isSame(as: b) ? nil : "other elements"
    case (.packed, .packed): return nil
    default: return "stored as \(storage) and \(other.storage)"
    }
  }
}
