import CoreMLBase
import CoreMLKernels
import MIL

/// The steps of a session that read and write states.
extension Session {
  /// The states that steps write in each device's memory, and the first step that writes one.
  static func deviceStates(_ plan: Plan) -> (written: [Int: [String]], first: Int) {
    var (written, first): ([Int: Set<String>], Int) = ([:], .max)
    for (number, step) in plan.steps.enumerated() where step.device != 0 {
      var names: [String] = []
      switch step.action {
      case .writeState(let name): names = [name]
      case .kernel:
        names = step.outputs.compactMap { slot in
          guard case .external(let number) = plan.slots[slot].storage,
            case .state(let name) = plan.externals[number].role
          else { return nil }
          return name
        }
      default: continue
      }
      if !names.isEmpty { first = min(first, number) }
      written[step.device, default: []].formUnion(names)
    }
    return (written.mapValues { $0.sorted() }.filter { !$0.value.isEmpty }, first)
  }

  /// Reads or writes a state. The first run of the step selects the method. Later runs do not check types and do not
  /// allocate memory.
  func moveState(_ number: Int, _ states: StateBuffers) throws {
    if plan.steps[number].device != 0 { return try moveStateOnDevice(number, states) }
    if stateSteps[number]?.move == .unsettled {
      let settled = move(number, states)
      stateSteps[number]?.move = settled
    }
    guard let step = stateSteps[number], let slot = step.slot else {
      throw RuntimeError(.evaluation, "\(plan.steps[number].label): there is nothing to write")
    }
    switch step.move {
    case .unsettled, .nothing: return
    case .bytes(let count):
      let (memory, state) = (pointer(slot), try states.memory(step.name))
      if step.isRead {
        UnsafeMutableRawPointer(mutating: memory).copyMemory(from: state, byteCount: count)
      } else if memory != UnsafeRawPointer(state) {
        // A value computed in the state's own memory needs no copy.
        try states.write(step.name, bytes: UnsafeRawBufferPointer(start: memory, count: count))
      }
    case .value:
      if step.isRead { return try store([.tensor(states.read(step.name))], plan.steps[number]) }
      guard let tensor = try value(slot).tensor else {
        throw RuntimeError(.evaluation, "\(plan.steps[number].label): there is nothing to write")
      }
      try states.write(step.name, from: tensor)
    }
  }

  /// Reads or writes a state in the memory of another device, in the order of its queue.
  private func moveStateOnDevice(_ number: Int, _ states: StateBuffers) throws {
    let step = plan.steps[number]
    guard let state = stateSteps[number], let slot = state.slot, let device = devices[step.device] else {
      throw RuntimeError(.evaluation, "\(step.label): there is nothing to write")
    }
    if case .external(let number) = plan.slots[slot].storage, plan.externals[number].role == .state(state.name) {
      return
    }
    guard plan.slots[slot].type.tensor == states.types[state.name] else {
      throw RuntimeError(.evaluation, "\(step.label): the state '\(state.name)' is not \(plan.slots[slot].type)")
    }
    try DeviceFailure.blaming(step.device) {
      let memory = try states.memory(state.name, on: device.queue)
      try device.move(slot, state: memory, isRead: state.isRead)
    }
  }

  /// Saves the states that devices write from the next step on, so that they can be restored if the run fails.
  func keepStates(_ states: StateBuffers) throws {
    for (number, names) in deviceStates.written {
      guard let device = devices[number] else { continue }
      try DeviceFailure.blaming(number) { try states.willBeWritten(names, on: device.queue) }
    }
  }

  private func move(_ number: Int, _ states: StateBuffers) -> StateStep.Move {
    guard let step = stateSteps[number], let slot = step.slot else { return .nothing }
    // A value that aliases the state's memory needs no copy.
    if step.isRead, case .external(let number) = plan.slots[slot].storage,
      plan.externals[number].role == .state(step.name)
    {
      return .nothing
    }
    guard let type = states.types[step.name], plan.slots[slot].type.tensor == type else { return .value }
    switch plan.slots[slot].storage {
    case .arena, .external, .literal: return .bytes(plan.slots[slot].byteCount)
    case .outer, .environment, .packed: return .value
    }
  }
}
