import CoreMLBase
import MIL

/// Plans of one family take turns in a session.
extension Session {
  /// Runs another plan of the same family from now on. The session must be idle.
  ///
  /// - Throws: `MILError` of code `.outOfMemory`. The session then has an undefined state.
  func rebind(to new: Plan) throws {
    let old = plan
    plan = new
    let ownOutputs = Self.outputOffsets(new)
    outputOffsets = ownOutputs.offsets
    outputs = try Self.grown(outputs, to: ownOutputs.total, "the outputs")
    scratch = try Self.grown(scratch, to: new.scratchBytes[0], "the scratch memory of the kernels")
    arena = try Self.grown(arena, to: new.arenaBytes[0], "the arena of intermediate results")
    guard let newBase = arena.mutablePointer, let newScratch = scratch.mutablePointer else {
      throw RuntimeError(.evaluation, "no memory for \(new.arenaBytes[0]) bytes of intermediate results")
    }
    let isMoved = newBase != base
    (base, scratchBase) = (newBase, newScratch)
    var changed = Array(repeating: false, count: new.slots.count)
    var isExternal = false
    for slot in new.slots.indices where old.slots[slot] !== new.slots[slot] {
      changed[slot] = true
      isExternal = isExternal || !old.slots[slot].storage.hasSameBinding(as: new.slots[slot].storage)
    }
    guard !isMoved, !isExternal, old.externals.elementsEqual(new.externals, by: { $0.role == $1.role }) else {
      bindings = ExternalBindings(new)
      (stateNames, outputNumbers) = (Self.stateNames(new), Self.outputNumbers(new))
      (sources, targets, sourceSlots, targetSlots) = ([], [], [], [])
      (offsets, kernels, stateSteps) = ([], [], [])
      fillTables()
      return keepOutputs()
    }
    for step in new.steps.indices where old.steps[step] !== new.steps[step] {
      kernels[step] = Self.hostKernel(new.steps[step])
    }
    for (entry, slot) in sourceSlots.enumerated() where changed[slot] { sources[entry] = pointer(slot) }
    for (entry, slot) in targetSlots.enumerated() where changed[slot] {
      targets[entry] = UnsafeMutableRawPointer(mutating: pointer(slot))
    }
    for step in stateSteps.indices {
      guard let slot = stateSteps[step]?.slot, changed[slot] else { continue }
      stateSteps[step]?.move = .unsettled
    }
    keepOutputs()
  }

  /// Memory of at least this size: the old one, or new memory with room for more.
  private static func grown(_ memory: TensorStorage, to byteCount: Int, _ purpose: String) throws -> TensorStorage {
    guard memory.byteCount < byteCount else { return memory }
    let room = byteCount.addingReportingOverflow(byteCount / 4)
    let wanted = room.overflow ? byteCount : room.partialValue
    try MemoryBudget.current.admit(byteCount, for: "a prediction of these shapes")
    return try (try? TensorStorage(byteCount: wanted, for: purpose))
      ?? TensorStorage(byteCount: byteCount, for: purpose)
  }
}
