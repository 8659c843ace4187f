import CoreMLBase
import CoreMLKernels
import MIL

/// A host kernel. The struct avoids an allocation: Swift wraps a closure stored directly in an array again each time it
/// is read.
struct HostKernel {
  let run: @Sendable (CPUFrame) throws -> Void
}

/// The memory to run one plan, one run at a time. It has an arena, scratch memory, and an environment for values whose
/// shape is only known at run time. Sessions are pooled; concurrent predictions never share one.
final class Session {
  var plan: Plan
  var arena: TensorStorage
  var scratch: TensorStorage
  var base: UnsafeMutableRawPointer
  var scratchBase: UnsafeMutableRawPointer
  /// The memory of outputs for which the caller supplies no buffer.
  var outputs: TensorStorage
  /// Offsets into `outputs`, by external memory.
  var outputOffsets: [(external: Int, offset: Int)]
  /// One pointer per operand and per output of each kernel step, in step order.
  var sources: [UnsafeRawPointer] = []
  var targets: [UnsafeMutableRawPointer] = []
  /// The slots that they point to.
  var sourceSlots: [Int] = []
  var targetSlots: [Int] = []
  var offsets: [(source: Int, target: Int)] = []
  /// Host kernels by step. Most steps are host kernels, which need no other data of the step.
  var kernels: [HostKernel?] = []
  /// The steps that read or write a state, by step number.
  var stateSteps: [StateStep?] = []
  var bindings: ExternalBindings
  /// Copies of inputs that are not read in place, by external memory.
  private var copies: [Int: TensorStorage] = [:]
  var environment: [Value?]
  /// By device; nil for the host and for devices that run no step.
  let devices: [DeviceSession?]
  /// The memory of captured values, by number.
  private let outer: [UnsafeMutableRawPointer]
  /// The sessions of control flow, by step.
  var controls: [Int: ControlSession] = [:]
  /// The external memory of each output, by name.
  var outputNumbers: [String: Int]
  /// External memory that belongs to states, by number.
  var stateNames: [(external: Int, state: String)]
  /// The states that steps write in each device's memory, and the first step that writes one.
  let deviceStates: (written: [Int: [String]], first: Int)
  /// External memory that is only read by uploads to devices.
  private let uploaded: Set<Int>
  /// Keeps the states of a stopped run alive while a device may read them.
  private var statesInUse: [TensorStorage] = []

  /// `outer` is the memory of a block's captured values. It must outlive the session.
  init(plan: Plan, outer: [UnsafeMutableRawPointer] = []) throws {
    self.plan = plan
    self.outer = outer
    (stateNames, outputNumbers) = (Self.stateNames(plan), Self.outputNumbers(plan))
    deviceStates = Self.deviceStates(plan)
    uploaded = Self.uploaded(plan)
    let own = Self.outputOffsets(plan)
    let needed = [plan.arenaBytes[0], plan.scratchBytes[0], own.total].reduce(0) {
      $0.addingReportingOverflow($1).overflow ? .max : $0 + $1
    }
    try MemoryBudget.current.admit(needed, for: "a prediction of these shapes")
    arena = try TensorStorage(byteCount: plan.arenaBytes[0], for: "the arena of intermediate results")
    scratch = try TensorStorage(byteCount: plan.scratchBytes[0], for: "the scratch memory of the kernels")
    guard let base = arena.mutablePointer, let scratchBase = scratch.mutablePointer else {
      throw RuntimeError(.evaluation, "no memory for \(plan.arenaBytes[0]) bytes of intermediate results")
    }
    self.base = base
    self.scratchBase = scratchBase
    environment = Array(repeating: nil, count: plan.environmentCount)
    bindings = ExternalBindings(plan)
    (outputs, outputOffsets) = (try TensorStorage(byteCount: own.total, for: "the outputs"), own.offsets)
    devices = try plan.deviceConstants.enumerated().map { number, constants in
      try constants.map { constants in
        try DeviceFailure.blaming(number) { try DeviceSession(plan, constants, device: number) }
      }
    }
    for (number, step) in plan.steps.enumerated() {
      if case .control(let flow) = step.action {
        controls[number] = ControlSession(flow, outer: step.captured.map { memory($0) })
      }
    }
    fillTables()
    keepOutputs()
  }

  /// Notes the kernels of all steps, and the addresses of their operands and results.
  func fillTables() {
    for step in plan.steps {
      offsets.append((sources.count, targets.count))
      kernels.append(Self.hostKernel(step))
      switch step.action {
      case .readState(let name): stateSteps.append(StateStep(name: name, slot: step.outputs.first, isRead: true))
      case .writeState(let name): stateSteps.append(StateStep(name: name, slot: step.stateData, isRead: false))
      default: stateSteps.append(nil)
      }
      guard case .kernel = step.action else { continue }
      for slot in step.inputs {
        bindings.note(plan.slots[slot].storage, source: sources.count)
        sources.append(pointer(slot))
      }
      for slot in step.outputs {
        bindings.note(plan.slots[slot].storage, target: targets.count)
        targets.append(UnsafeMutableRawPointer(mutating: pointer(slot)))
      }
      sourceSlots += step.inputs
      targetSlots += step.outputs
    }
    sources.append(UnsafeRawPointer(base))
    targets.append(base)
  }

  static func hostKernel(_ step: Plan.Step) -> HostKernel? {
    guard case .kernel(.cpu(let run, _)) = step.action else { return nil }
    return HostKernel(run: run)
  }

  static func stateNames(_ plan: Plan) -> [(external: Int, state: String)] {
    plan.externals.enumerated().compactMap { number, external in
      if case .state(let name) = external.role { (number, name) } else { nil }
    }
  }

  static func outputNumbers(_ plan: Plan) -> [String: Int] {
    Dictionary(
      plan.externals.enumerated().compactMap { number, external in
        if case .output(let name) = external.role { (name, number) } else { nil }
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func uploaded(_ plan: Plan) -> Set<Int> {
    var (uploaded, others): (Set<Int>, Set<Int>) = ([], [])
    for step in plan.steps {
      for slot in step.inputs {
        guard case .external(let number) = plan.slots[slot].storage, plan.slots[slot].device == 0 else { continue }
        if case .upload = step.action { uploaded.insert(number) } else { others.insert(number) }
      }
    }
    return uploaded.subtracting(others)
  }

  static func outputOffsets(_ plan: Plan) -> (offsets: [(external: Int, offset: Int)], total: Int) {
    var (offsets, total): ([(external: Int, offset: Int)], Int) = ([], 0)
    for (number, external) in plan.externals.enumerated() {
      guard case .output = external.role, let slot = external.slot else { continue }
      offsets.append((number, total))
      total += MemoryPlan.aligned(plan.slots[slot].byteCount)
    }
    return (offsets, total)
  }

  /// Binds every output to the session's own memory.
  func keepOutputs() {
    guard let memory = outputs.mutablePointer else { return }
    for (number, offset) in outputOffsets { bind(number, to: memory + offset, owner: outputs) }
  }

  private func bind(_ number: Int, to pointer: UnsafeMutableRawPointer, owner: TensorStorage?) {
    bindings.bind(number, to: pointer, owner: owner, &sources, &targets)
  }

  /// The address of a slot in this run. For slots without planned memory the address has no meaning.
  func pointer(_ slot: Int) -> UnsafeRawPointer {
    switch plan.slots[slot].storage {
    case .arena(let offset): UnsafeRawPointer(base + offset)
    case .outer(let number): UnsafeRawPointer(outer[number])
    case .literal(let value): value.tensor?.storage.pointer ?? UnsafeRawPointer(base)
    case .packed, .environment: UnsafeRawPointer(base)
    case .external(let number): UnsafeRawPointer(bindings.pointer(number) ?? base)
    }
  }

  /// Memory of a slot whose address is the same in all runs; nil for slots without memory, and for memory bound per
  /// run.
  func memory(_ slot: Int) -> UnsafeMutableRawPointer? {
    switch plan.slots[slot].storage {
    case .arena, .outer: UnsafeMutableRawPointer(mutating: pointer(slot))
    case .literal(let value): value.tensor.map { UnsafeMutableRawPointer(mutating: $0.storage.pointer) }
    case .environment, .external, .packed: nil
    }
  }

  /// Sets an input before `run`. A tensor of the planned type may be read in place and is then retained until
  /// `release`. A value without planned memory (strings, dictionaries) is retained.
  func set(_ name: String, _ value: Value) throws {
    guard let slot = plan.inputs[name] else { return }
    switch plan.slots[slot].storage {
    case .external(let number):
      guard let tensor = value.tensor, let type = plan.slots[slot].type.tensor, tensor.isOf(type) else {
        throw RuntimeError(.invalidInput, "'\(name)' is \(value.type) where \(plan.slots[slot].type) was planned")
      }
      let storage =
        try uploaded.contains(number) || Self.isReadInPlace(tensor) ? tensor.storage : copied(tensor, number)
      // Kernels never write to a plan's inputs, so the cast is safe.
      bind(number, to: UnsafeMutableRawPointer(mutating: storage.pointer), owner: storage)
    case .environment(let index): environment[index] = value
    case .arena(let offset):
      value.tensor?.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
      }
    case .literal, .packed, .outer: break
    }
  }

  /// Binds an input to memory that is the same in all runs.
  func keep(_ storage: TensorStorage, asInput name: String) {
    guard let slot = plan.inputs[name], case .external(let number) = plan.slots[slot].storage else { return }
    bind(number, to: UnsafeMutableRawPointer(mutating: storage.pointer), owner: storage)
  }

  /// The memory of a planned output after each run.
  func memory(ofOutput slot: Int) throws -> UnsafeRawPointer {
    switch plan.slots[slot].storage {
    case .arena, .external: return pointer(slot)
    case .outer, .literal, .packed, .environment:
      throw RuntimeError(.evaluation, "'\(plan.slots[slot].name)' has no memory of its own")
    }
  }

  /// Whether kernels read an input in place. Reads from memory that is not vector-aligned take longer than a copy. An
  /// input that fits into a core's private cache is copied too. The sequential copy loads it into the cache for the
  /// first kernel, which may read it in any order.
  private static func isReadInPlace(_ tensor: Tensor) -> Bool {
    Int(bitPattern: tensor.storage.pointer) % MemoryPlan.alignment == 0 && !cached.contains(tensor.byteCount)
  }

  private static let cached = 1 << 16..<1 << 20

  /// A copy of an input, in memory that the session keeps.
  private func copied(_ tensor: Tensor, _ number: Int) throws -> TensorStorage {
    let known = copies[number].flatMap { $0.byteCount >= tensor.byteCount ? $0 : nil }
    let storage = try known ?? TensorStorage(byteCount: tensor.byteCount, for: "a copy of an input")
    copies[number] = storage
    tensor.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress { storage.mutablePointer?.copyMemory(from: source, byteCount: bytes.count) }
    }
    return storage
  }

  /// Stores a value in a slot. It must have the planned type.
  func put(_ value: Value, in slot: Int) throws {
    let planned = plan.slots[slot]
    switch planned.storage {
    case .environment(let index): environment[index] = try value.kept()
    case .arena(let offset):
      guard let tensor = value.tensor, .tensor(tensor.type) == planned.type else {
        throw RuntimeError(.evaluation, "'\(planned.name)' is \(value.type), and \(planned.type) was planned")
      }
      tensor.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
      }
    case .literal, .outer, .external, .packed: break
    }
  }

  /// A boolean in planned memory or in the environment.
  func truth(_ slot: Int, _ label: String) throws -> Bool {
    if plan.slots[slot].type.tensor?.scalar == .bool, plan.slots[slot].byteCount == 1, let place = memory(slot) {
      return place.load(as: UInt8.self) != 0
    }
    guard let tensor = try value(slot).tensor, tensor.count == 1, let first = try tensor.doubles().first else {
      throw MILError(.invalidType, "its condition is not one boolean", operation: label)
    }
    return first != 0
  }

  /// Binds an output to a buffer of the caller. Returns false if the output has no memory of its own in this plan (for
  /// example, if it is an input). The caller must then read it with `value`.
  func bindOutput(_ name: String, to pointer: UnsafeMutableRawPointer) -> Bool {
    guard let number = outputNumbers[name] else { return false }
    bind(number, to: pointer, owner: nil)
    return true
  }

  /// Releases the bindings of one run.
  func release() {
    bindings.release()
    keepOutputs()
  }

  /// The value in a slot. A planned value borrows memory, and is valid until the next run or `release`.
  func value(_ number: Int) throws -> Value {
    let slot = plan.slots[number]
    switch slot.storage {
    case .literal(let value): return value
    case .packed: throw RuntimeError(.evaluation, "'\(slot.name)' was read where it is packed")
    case .environment(let index):
      guard let value = environment[index] else {
        throw RuntimeError(.evaluation, "'\(slot.name)' was read before it was computed")
      }
      return value
    case .arena, .outer:
      guard let type = slot.type.tensor, let shape = type.concreteShape, let bytes = type.byteCount else {
        throw RuntimeError(.evaluation, "'\(slot.name)' has no known type")
      }
      let storage = TensorStorage(borrowing: pointer(number), byteCount: bytes, owner: arena)
      return .tensor(try Tensor(type.scalar, shape: shape, storage: storage))
    case .external(let number):
      guard let type = slot.type.tensor, let shape = type.concreteShape, let bytes = type.byteCount,
        let pointer = bindings.pointer(number)
      else { throw RuntimeError(.evaluation, "'\(slot.name)' was read before it was given") }
      let storage = TensorStorage(
        borrowing: UnsafeRawPointer(pointer), byteCount: bytes, owner: bindings.owner(number))
      return .tensor(try Tensor(type.scalar, shape: shape, storage: storage))
    }
  }

  /// Runs every step. `states` has the state buffers by name. The function polls `shouldStop` and the thread's
  /// cancellation before each step.
  ///
  /// Allocates no memory if all steps are host kernels.
  func run(states: StateBuffers, shouldStop: (() -> Bool)?) throws {
    try prepare(states)
    do {
      try runSteps(plan.steps.indices, states, shouldStop)
      guard !plan.isOnHost else { return }
      // A device reports errors at this point, and saves the programs that have run.
      for (number, device) in devices.enumerated() { try DeviceFailure.blaming(number) { try device?.finish() } }
    } catch {
      // Copies to a device may still read the states.
      if isBusy { statesInUse = states.storages }
      throw error
    }
  }

  /// Binds the states, and checks that all external memory is bound.
  func prepare(_ states: StateBuffers) throws {
    // Iterates over indices, since a loop over elements allocates memory in debug builds.
    for index in stateNames.indices {
      let (external, name) = stateNames[index]
      let number = plan.externals[external].device
      guard number == 0 else {
        try DeviceFailure.blaming(number) {
          guard let device = devices[number] else { return }
          try device.bind(external, to: states.memory(name, on: device.queue))
        }
        // The host does not read the state here. The pointer only marks it as bound.
        bind(external, to: base, owner: nil)
        continue
      }
      bind(external, to: try states.memory(name), owner: nil)
    }
    if let missing = bindings.missing { throw RuntimeError(.evaluation, "nothing was given for \(missing)") }
  }

  /// Calls `body` with the frame of a step's kernel.
  func withFrame(_ number: Int, _ body: (CPUFrame) throws -> Void) rethrows {
    try sources.withUnsafeBufferPointer { sources in
      try targets.withUnsafeBufferPointer { targets in
        guard let source = sources.baseAddress, let target = targets.baseAddress else { return }
        let (operand, result) = offsets[number]
        try body(CPUFrame(inputs: source + operand, outputs: target + result, scratch: scratchBase, pool: plan.pool))
      }
    }
  }

  /// Runs a range of steps in order, after `prepare`.
  func runSteps(_ numbers: Range<Int>, _ states: StateBuffers, _ shouldStop: (() -> Bool)?) throws {
    let cancellation = Cancellation.current
    try sources.withUnsafeBufferPointer { sources in
      try targets.withUnsafeBufferPointer { targets in
        guard let source = sources.baseAddress, let target = targets.baseAddress else { return }
        // One frame for all steps: reference counting of its members would take as long as a small step.
        var frame = CPUFrame(inputs: source, outputs: target, scratch: scratchBase, pool: plan.pool)
        for number in numbers {
          if cancellation?.isCancelled == true || shouldStop?() == true {
            throw RuntimeError(.cancelled, "the prediction was stopped before \(plan.steps[number].label)")
          }
          if number == deviceStates.first { try keepStates(states) }
          if let kernel = kernels[number] {
            let (operand, result) = offsets[number]
            (frame.inputs, frame.outputs) = (source + operand, target + result)
            try kernel.run(frame)
          } else if stateSteps[number] != nil {
            try moveState(number, states)
          } else {
            try run(number, plan.steps[number], states)
          }
        }
      }
    }
  }

  /// Enqueued commands may read host memory until they have completed.
  deinit { drain() }

  /// Waits for enqueued commands. Idle devices are skipped, since a hung device may not even answer the query.
  func drain() {
    for device in devices where device?.isBusy == true { device?.queue.drain() }
    for control in controls.values { control.drain() }
  }

  /// A device may still be running commands of a failed run.
  var isBusy: Bool { devices.contains { $0?.isBusy == true } || controls.values.contains(where: \.isBusy) }
}
