import CoreMLBase
import CoreMLKernels
import MIL

/// A kernel of the host's. A function that stands in an array by itself is wrapped anew each time it is read, which takes memory.
private struct HostKernel {
  let run: @Sendable (CPUFrame) throws -> Void
}

/// Memory for running one plan once at a time: an arena, scratch, and an environment for what only run time shapes. Sessions
/// are pooled, so concurrent predictions never share one.
final class Session {
  let plan: Plan
  private let arena: TensorStorage
  private let scratch: TensorStorage
  private let base: UnsafeMutableRawPointer
  private let scratchBase: UnsafeMutableRawPointer
  /// Where outputs go that the caller gives no memory for.
  private let outputs: TensorStorage
  /// Where each stands there, by external memory.
  private let outputOffsets: [(external: Int, offset: Int)]
  /// One pointer an operand and an output of every kernel step, in step order.
  private var sources: [UnsafeRawPointer] = []
  private var targets: [UnsafeMutableRawPointer] = []
  private var offsets: [(source: Int, target: Int)] = []
  /// The kernels that run on the host, by step: most steps are one, and need nothing else of the step.
  private var kernels: [HostKernel?] = []
  /// The steps that read or write a state, by step.
  var stateSteps: [StateStep?] = []
  private var bindings: ExternalBindings
  /// Copies of inputs that are not read where they are, by external memory.
  private var copies: [Int: TensorStorage] = [:]
  private var environment: [Value?]
  /// By device; nil for the host, and for one that no step runs on.
  let devices: [DeviceSession?]
  /// Memory of the plan's places around it.
  private let outer: [UnsafeMutableRawPointer]
  /// What control flow runs, by step.
  private var controls: [Int: ControlSession] = [:]
  /// External memory that is an output's, by its name.
  private let outputNumbers: [String: Int]
  /// External memory that is a state's, by number.
  private let stateNames: [(external: Int, state: String)]
  /// The states in each device's memory that steps write, and the first step that does.
  let deviceStates: (written: [Int: [String]], first: Int)
  /// External memory that is copied to devices and not read otherwise.
  private let uploaded: Set<Int>
  /// What keeps the states of a run that was stopped, while a device may read them.
  private var statesInUse: [TensorStorage] = []

  /// `around` is the memory of places around a block, and outlives the session.
  init(plan: Plan, outer: [UnsafeMutableRawPointer] = []) throws {
    self.plan = plan
    self.outer = outer
    stateNames = plan.externals.enumerated().compactMap { number, external in
      if case .state(let name) = external.role { (number, name) } else { nil }
    }
    deviceStates = Self.deviceStates(plan)
    outputNumbers = Dictionary(
      plan.externals.enumerated().compactMap { number, external in
        if case .output(let name) = external.role { (name, number) } else { nil }
      }, uniquingKeysWith: { first, _ in first })
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
      offsets.append((sources.count, targets.count))
      if case .kernel(.cpu(let run, _)) = step.action {
        kernels.append(HostKernel(run: run))
      } else {
        kernels.append(nil)
      }
      switch step.action {
      case .readState(let name): stateSteps.append(StateStep(name: name, slot: step.outputs.first, isRead: true))
      case .writeState(let name): stateSteps.append(StateStep(name: name, slot: step.stateData, isRead: false))
      default: stateSteps.append(nil)
      }
      if case .control(let flow) = step.action {
        controls[number] = ControlSession(flow, outer: step.captured.map { memory($0) })
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
    }
    sources.append(UnsafeRawPointer(base))
    targets.append(base)
    keepOutputs()
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

  private static func outputOffsets(_ plan: Plan) -> (offsets: [(external: Int, offset: Int)], total: Int) {
    var (offsets, total): ([(external: Int, offset: Int)], Int) = ([], 0)
    for (number, external) in plan.externals.enumerated() {
      guard case .output = external.role, let slot = external.slot else { continue }
      offsets.append((number, total))
      total += MemoryPlan.aligned(plan.slots[slot].byteCount)
    }
    return (offsets, total)
  }

  /// Lets every output go to the session's own memory.
  private func keepOutputs() {
    guard let memory = outputs.mutablePointer else { return }
    for (number, offset) in outputOffsets { bind(number, to: memory + offset, owner: outputs) }
  }

  private func bind(_ number: Int, to pointer: UnsafeMutableRawPointer, owner: TensorStorage?) {
    bindings.bind(number, to: pointer, owner: owner, &sources, &targets)
  }

  /// Where a slot is in this run; nowhere of interest for what has no planned memory.
  func pointer(_ slot: Int) -> UnsafeRawPointer {
    switch plan.slots[slot].storage {
    case .arena(let offset): UnsafeRawPointer(base + offset)
    case .outer(let number): UnsafeRawPointer(outer[number])
    case .literal(let value): value.tensor?.storage.pointer ?? UnsafeRawPointer(base)
    case .packed, .environment: UnsafeRawPointer(base)
    case .external(let number): UnsafeRawPointer(bindings.pointer(number) ?? base)
    }
  }

  /// Memory of a slot that stays where it is from run to run; nil for what has none, or has it only in one run.
  func memory(_ slot: Int) -> UnsafeMutableRawPointer? {
    switch plan.slots[slot].storage {
    case .arena, .outer: UnsafeMutableRawPointer(mutating: pointer(slot))
    case .literal(let value): value.tensor.map { UnsafeMutableRawPointer(mutating: $0.storage.pointer) }
    case .environment, .external, .packed: nil
    }
  }

  /// Gives an input its value before `run`: a tensor of the planned type is read where it is, and kept until `release`; what has no
  /// planned memory (strings, dictionaries) is kept as it is.
  func set(_ name: String, _ value: Value) throws {
    guard let slot = plan.inputs[name] else { return }
    switch plan.slots[slot].storage {
    case .external(let number):
      guard let tensor = value.tensor, let type = plan.slots[slot].type.tensor, tensor.isOf(type) else {
        throw RuntimeError(.invalidInput, "'\(name)' is \(value.type) where \(plan.slots[slot].type) was planned")
      }
      let storage =
        try uploaded.contains(number) || Self.isReadInPlace(tensor) ? tensor.storage : copied(tensor, number)
      // Kernels never write what a plan has as an input.
      bind(number, to: UnsafeMutableRawPointer(mutating: storage.pointer), owner: storage)
    case .environment(let index): environment[index] = value
    case .arena(let offset):
      value.tensor?.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
      }
    case .literal, .packed, .outer: break
    }
  }

  /// Lets an input be in memory that stays its own from run to run.
  func keep(_ storage: TensorStorage, asInput name: String) {
    guard let slot = plan.inputs[name], case .external(let number) = plan.slots[slot].storage else { return }
    bind(number, to: UnsafeMutableRawPointer(mutating: storage.pointer), owner: storage)
  }

  /// Where an output of planned memory is after each run.
  func memory(ofOutput slot: Int) throws -> UnsafeRawPointer {
    switch plan.slots[slot].storage {
    case .arena, .external: return pointer(slot)
    case .outer, .literal, .packed, .environment:
      throw RuntimeError(.evaluation, "'\(plan.slots[slot].name)' has no memory of its own")
    }
  }

  /// Whether kernels read an input where it is. From memory that is not on the boundaries of vectors that takes longer than a copy; and what
  /// fits into a processor's own cache is there for the first kernel, which may read it in any order, once it has been copied in order.
  private static func isReadInPlace(_ tensor: Tensor) -> Bool {
    Int(bitPattern: tensor.storage.pointer) % MemoryPlan.alignment == 0 && !cached.contains(tensor.byteCount)
  }

  private static let cached = 1 << 16..<1 << 20

  /// An input's copy, in memory that the session keeps for it.
  private func copied(_ tensor: Tensor, _ number: Int) throws -> TensorStorage {
    let storage = try copies[number] ?? TensorStorage(byteCount: tensor.byteCount, for: "a copy of an input")
    copies[number] = storage
    tensor.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress { storage.mutablePointer?.copyMemory(from: source, byteCount: bytes.count) }
    }
    return storage
  }

  /// Gives a slot a value, which must have the planned type.
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

  /// A boolean in planned memory or out of it.
  func truth(_ slot: Int, _ label: String) throws -> Bool {
    if plan.slots[slot].type.tensor?.scalar == .bool, plan.slots[slot].byteCount == 1, let place = memory(slot) {
      return place.load(as: UInt8.self) != 0
    }
    guard let tensor = try value(slot).tensor, tensor.count == 1, let first = try tensor.doubles().first else {
      throw MILError(.invalidType, "its condition is not one boolean", operation: label)
    }
    return first != 0
  }

  /// Lets an output be written where the caller has memory for it; false where it is no memory of its own in this plan (an input that is
  /// handed on, say): it is read with `value` then, as others are.
  func bindOutput(_ name: String, to pointer: UnsafeMutableRawPointer) -> Bool {
    guard let number = outputNumbers[name] else { return false }
    bind(number, to: pointer, owner: nil)
    return true
  }

  /// Lets go of what was bound for one run.
  func release() {
    bindings.release()
    keepOutputs()
  }

  /// The value in a slot. A planned one borrows memory: it is good until the next run or `release`.
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

  /// Runs every step. `states` holds the state buffers by name; `shouldStop` is asked between steps, and so is the thread's cancellation.
  ///
  /// Takes no memory where all steps are kernels of the host's.
  func run(states: StateBuffers, shouldStop: (() -> Bool)?) throws {
    try prepare(states)
    do {
      try runSteps(plan.steps.indices, states, shouldStop)
      guard !plan.isOnHost else { return }
      // A device tells of faults now, and keeps the programs that have run.
      for (number, device) in devices.enumerated() { try DeviceFailure.blaming(number) { try device?.finish() } }
    } catch {
      // Copies to a device may still read the states.
      if isBusy { statesInUse = states.storages }
      throw error
    }
  }

  /// Binds the states, and looks whether everything is there that steps read.
  func prepare(_ states: StateBuffers) throws {
    // Over indices: in debug builds, a loop over elements takes memory.
    for index in stateNames.indices {
      let (external, name) = stateNames[index]
      let number = plan.externals[external].device
      guard number == 0 else {
        try DeviceFailure.blaming(number) {
          guard let device = devices[number] else { return }
          try device.bind(external, to: states.memory(name, on: device.queue))
        }
        // Nothing of the host's reads it there.
        bind(external, to: base, owner: nil)
        continue
      }
      bind(external, to: try states.memory(name), owner: nil)
    }
    if let missing = bindings.missing { throw RuntimeError(.evaluation, "nothing was given for \(missing)") }
  }

  /// What the kernel of a step is given.
  func withFrame(_ number: Int, _ body: (CPUFrame) throws -> Void) rethrows {
    try sources.withUnsafeBufferPointer { sources in
      try targets.withUnsafeBufferPointer { targets in
        guard let source = sources.baseAddress, let target = targets.baseAddress else { return }
        let (operand, result) = offsets[number]
        try body(CPUFrame(inputs: source + operand, outputs: target + result, scratch: scratchBase, pool: plan.pool))
      }
    }
  }

  /// Runs some steps in their order, after `prepare`.
  func runSteps(_ numbers: Range<Int>, _ states: StateBuffers, _ shouldStop: (() -> Bool)?) throws {
    let cancellation = Cancellation.current
    try sources.withUnsafeBufferPointer { sources in
      try targets.withUnsafeBufferPointer { targets in
        guard let source = sources.baseAddress, let target = targets.baseAddress else { return }
        // One for all steps: counting references of what it has would take as long as a small step.
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

  /// A step that is no kernel of the host's.
  private func run(_ number: Int, _ step: Plan.Step, _ states: StateBuffers) throws {
    switch step.action {
    case .kernel(.openCL(let run)):
      try DeviceFailure.blaming(step.device, step.choice.operation) {
        try devices[step.device]?.run(run, step: number)
      }
    case .kernel(.cpu): break
    case .evaluate: try evaluate(step.choice.operation, step, states)
    case .control: try control(number, step, states)
    case .readState, .writeState: try moveState(number, states)
    case .upload: try DeviceFailure.blaming(step.device) { try upload(step) }
    case .download: try DeviceFailure.blaming(step.device) { try download(step) }
    }
  }

  /// What is enqueued may read the host's memory until it has ended.
  deinit { drain() }

  /// Waits for what is enqueued. Whoever is not at work is not asked: one that hangs may not even say that.
  func drain() {
    for device in devices where device?.isBusy == true { device?.queue.drain() }
    for control in controls.values { control.drain() }
  }

  /// A device may be at work for a run that did not end well.
  var isBusy: Bool { devices.contains { $0?.isBusy == true } || controls.values.contains(where: \.isBusy) }

  private func upload(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      case let bytes = plan.slots[source].byteCount, bytes > 0
    else { return }
    // An output's memory is its caller's, who gets it back when the prediction is stopped.
    var isCallers = false
    if case .external(let number) = plan.slots[source].storage, case .output = plan.externals[number].role {
      isCallers = true
    }
    try devices[step.device]?.upload(
      UnsafeRawBufferPointer(start: pointer(source), count: bytes), to: target, wait: isCallers)
  }

  private func download(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      case let bytes = plan.slots[target].byteCount, bytes > 0
    else { return }
    let memory = UnsafeMutableRawPointer(mutating: pointer(target))
    try devices[step.device]?.download(source, into: UnsafeMutableRawBufferPointer(start: memory, count: bytes))
  }

  // MARK: run-time operations

  private func evaluate(_ operation: Operation, _ step: Plan.Step, _ states: StateBuffers) throws {
    let interpreter = Interpreter(pool: plan.pool, states: states)
    var names: [String: Value] = [:]
    for slot in step.captured { names[plan.slots[slot].name] = try value(slot) }
    var arguments: [String: [Value]] = [:]
    for (slot, operand) in zip(step.inputs, KernelProblem.order(of: operation)) {
      arguments[operand.parameter, default: []].append(try value(slot))
    }
    try store(interpreter.evaluate(operation, arguments, names), step)
  }

  private func control(_ number: Int, _ step: Plan.Step, _ states: StateBuffers) throws {
    guard let control = controls[number] else { return }
    var variables: [Value]?
    if control.isSettled {
      variables = try control.run(step, of: self, states)
      if variables == nil { return }
    }
    let results = try control.run(
      variables ?? step.inputs.map { try value($0) }, step.captured.map { try captured($0) },
      Interpreter(pool: plan.pool, states: states))
    try store(results, step)
    control.settle(step, of: plan)
  }

  /// What blocks read from around them; nil for a constant that their plans have.
  private func captured(_ slot: Int) throws -> Value? {
    if case .packed = plan.slots[slot].storage { return nil }
    return try value(slot)
  }

  func store(_ values: [Value], _ step: Plan.Step) throws {
    for (slot, value) in zip(step.outputs, values) {
      switch plan.slots[slot].storage {
      case .environment(let index): environment[index] = try value.kept()
      case .arena, .external:
        guard let tensor = value.tensor, let type = plan.slots[slot].type.tensor,
          tensor.shape == type.concreteShape
        else {
          throw RuntimeError(
            .evaluation, "\(step.label): gave \(value.type) where \(plan.slots[slot].type) was planned")
        }
        let target = UnsafeMutableRawPointer(mutating: pointer(slot))
        try tensor.converted(to: type.scalar).withUnsafeBytes { bytes in
          if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
        }
      case .literal, .packed, .outer: break
      }
    }
  }
}
