import CoreMLKernels
import MIL

/// Memory for running one plan once at a time: an arena, scratch, and an environment for what only run time shapes. Sessions
/// are pooled, so concurrent predictions never share one.
final class Session {
  let plan: Plan
  private let arena: TensorStorage
  private let scratch: TensorStorage
  private let base: UnsafeMutableRawPointer
  private let scratchBase: UnsafeMutableRawPointer
  /// One pointer an operand and an output of every kernel step, in step order.
  private var sources: [UnsafeRawPointer] = []
  private var targets: [UnsafeMutableRawPointer] = []
  private var offsets: [(source: Int, target: Int)] = []
  private var environment: [Value?]
  /// By device; nil for the host, and for one that no step runs on.
  private let devices: [DeviceSession?]
  /// Memory of the plan's external places.
  private let external: [UnsafeMutableRawPointer]
  /// What control flow runs, by step.
  private var controls: [Int: ControlSession] = [:]

  /// `external` outlives the session, or is not read after it has gone.
  init(plan: Plan, external: [UnsafeMutableRawPointer] = []) throws {
    self.plan = plan
    self.external = external
    arena = TensorStorage(byteCount: plan.arenaBytes[0])
    scratch = TensorStorage(byteCount: plan.scratchBytes[0])
    guard let base = arena.mutablePointer, let scratchBase = scratch.mutablePointer else {
      throw RuntimeError(.evaluation, "no memory for \(plan.arenaBytes[0]) bytes of intermediate results")
    }
    self.base = base
    self.scratchBase = scratchBase
    environment = Array(repeating: nil, count: plan.environmentCount)
    devices = try plan.deviceConstants.enumerated().map { number, constants in
      try constants.map { try DeviceSession(plan, $0, device: number) }
    }
    for (number, step) in plan.steps.enumerated() {
      offsets.append((sources.count, targets.count))
      if case .control(let flow) = step.action {
        controls[number] = try ControlSession(flow, around: step.captured.map { memory($0) })
      }
      guard case .kernel = step.action else { continue }
      sources += step.inputs.map { pointer($0) }
      targets += step.outputs.map { UnsafeMutableRawPointer(mutating: pointer($0)) }
    }
    sources.append(UnsafeRawPointer(base))
    targets.append(base)
  }

  private func pointer(_ slot: Int) -> UnsafeRawPointer {
    switch plan.slots[slot].place {
    case .arena(let offset): UnsafeRawPointer(base + offset)
    case .external(let number): UnsafeRawPointer(external[number])
    case .literal(let value): value.tensor?.storage.pointer ?? UnsafeRawPointer(base)
    case .environment: UnsafeRawPointer(base)
    }
  }

  /// The planned memory of a slot: nil for what lies in the environment.
  func memory(_ slot: Int) -> UnsafeMutableRawPointer? {
    switch plan.slots[slot].place {
    case .arena, .external: UnsafeMutableRawPointer(mutating: pointer(slot))
    case .literal(let value): value.tensor.map { UnsafeMutableRawPointer(mutating: $0.storage.pointer) }
    case .environment: nil
    }
  }

  /// Gives an input its value before `run`: a tensor of the planned type is copied into the arena, what has no planned memory
  /// (strings, dictionaries) is kept as it is.
  func set(_ name: String, _ value: Value) {
    guard let slot = plan.inputs[name] else { return }
    switch plan.slots[slot].place {
    case .environment(let index): environment[index] = value
    case .arena(let offset):
      value.tensor?.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
      }
    case .literal, .external: break
    }
  }

  /// Gives a slot a value, which must have the planned type.
  func put(_ value: Value, in slot: Int) throws {
    let planned = plan.slots[slot]
    switch planned.place {
    case .environment(let index): environment[index] = try value.kept()
    case .arena(let offset):
      guard let tensor = value.tensor, .tensor(tensor.type) == planned.type else {
        throw RuntimeError(.evaluation, "'\(planned.name)' is \(value.type), and \(planned.type) was planned")
      }
      tensor.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
      }
    case .literal, .external: break
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

  /// The value in a slot. A planned one borrows the arena: it is good until the next run.
  func value(_ number: Int) throws -> Value {
    let slot = plan.slots[number]
    switch slot.place {
    case .literal(let value): return value
    case .environment(let index):
      guard let value = environment[index] else {
        throw RuntimeError(.evaluation, "'\(slot.name)' was read before it was computed")
      }
      return value
    case .arena, .external:
      guard let type = slot.type.tensor, let shape = type.concreteShape, let bytes = type.byteCount else {
        throw RuntimeError(.evaluation, "'\(slot.name)' has no known type")
      }
      let storage = TensorStorage(borrowing: pointer(number), byteCount: bytes, owner: arena)
      return .tensor(try Tensor(type.scalar, shape: shape, storage: storage))
    }
  }

  /// Runs every step. `states` holds the state buffers by name; `shouldStop` is asked between steps.
  func run(states: StateBuffers, shouldStop: () -> Bool) throws {
    try sources.withUnsafeBufferPointer { sources in
      try targets.withUnsafeBufferPointer { targets in
        guard let source = sources.baseAddress, let target = targets.baseAddress else { return }
        for (number, step) in plan.steps.enumerated() {
          if shouldStop() { throw RuntimeError(.cancelled, "the prediction was stopped before \(step.label)") }
          switch step.action {
          case .kernel(.openCL(let run)): try devices[step.device]?.run(run, step: number)
          case .kernel(.cpu(let run)):
            try run(
              CPUFrame(
                inputs: source + offsets[number].source, outputs: target + offsets[number].target,
                scratch: scratchBase, pool: plan.pool))
          case .evaluate: try evaluate(step.choice.operation, step)
          case .control: try control(number, step)
          case .readState(let name): try store([.tensor(states.read(name))], step)
          case .writeState(let name): try states.write(name, from: dataTensor(of: step))
          case .upload: try upload(step)
          case .download: try download(step)
          }
        }
      }
    }
    // A device tells of faults now, and keeps the programs that have run.
    for device in devices { try device?.queue.finish() }
  }

  private func upload(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      case let bytes = plan.slots[source].byteCount, bytes > 0
    else { return }
    try devices[step.device]?.upload(UnsafeRawBufferPointer(start: pointer(source), count: bytes), to: target)
  }

  private func download(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      case let bytes = plan.slots[target].byteCount, bytes > 0
    else { return }
    let memory = UnsafeMutableRawPointer(mutating: pointer(target))
    try devices[step.device]?.download(source, into: UnsafeMutableRawBufferPointer(start: memory, count: bytes))
  }

  private func dataTensor(of step: Plan.Step) throws -> Tensor {
    for (slot, operand) in zip(step.inputs, Site.order(of: step.choice.operation)) where operand.parameter == "data" {
      if let tensor = try value(slot).tensor { return tensor }
    }
    throw RuntimeError(.evaluation, "\(step.label): there is nothing to write")
  }

  // MARK: run-time operations

  private func evaluate(_ operation: Operation, _ step: Plan.Step) throws {
    let interpreter = Interpreter(pool: plan.pool)
    var names: [String: Value] = [:]
    for slot in step.captured { names[plan.slots[slot].name] = try value(slot) }
    var arguments: [String: [Value]] = [:]
    for (slot, operand) in zip(step.inputs, Site.order(of: operation)) {
      arguments[operand.parameter, default: []].append(try value(slot))
    }
    try store(interpreter.evaluate(operation, arguments, names), step)
  }

  private func control(_ number: Int, _ step: Plan.Step) throws {
    guard let control = controls[number] else { return }
    let results = try control.run(
      step.inputs.map { try value($0) }, step.captured.map { try value($0) }, Interpreter(pool: plan.pool))
    try store(results, step)
  }

  private func store(_ values: [Value], _ step: Plan.Step) throws {
    for (slot, value) in zip(step.outputs, values) {
      switch plan.slots[slot].place {
      case .environment(let index): environment[index] = try value.kept()
      case .arena(let offset):
        guard let tensor = value.tensor, let type = plan.slots[slot].type.tensor,
          tensor.shape == type.concreteShape
        else {
          throw RuntimeError(
            .evaluation, "\(step.label): gave \(value.type) where \(plan.slots[slot].type) was planned")
        }
        try tensor.converted(to: type.scalar).withUnsafeBytes { bytes in
          if let source = bytes.baseAddress { (base + offset).copyMemory(from: source, byteCount: bytes.count) }
        }
      case .literal, .external: break
      }
    }
  }
}
