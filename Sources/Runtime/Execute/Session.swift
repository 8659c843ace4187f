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
  private let device: DeviceSession?

  init(plan: Plan) throws {
    self.plan = plan
    let (needed, overflow) = plan.arenaBytes[0].addingReportingOverflow(plan.scratchBytes[0])
    try MemoryBudget.current.admit(overflow ? .max : needed, for: "a prediction of these shapes")
    arena = try TensorStorage(byteCount: plan.arenaBytes[0], for: "the arena of intermediate results")
    scratch = try TensorStorage(byteCount: plan.scratchBytes[0], for: "the scratch memory of the kernels")
    guard let base = arena.mutablePointer, let scratchBase = scratch.mutablePointer else {
      throw RuntimeError(.evaluation, "no memory for \(plan.arenaBytes[0]) bytes of intermediate results")
    }
    self.base = base
    self.scratchBase = scratchBase
    environment = Array(repeating: nil, count: plan.environmentCount)
    device = try plan.deviceConstants.map { try DeviceSession(plan, $0) }
    for step in plan.steps {
      offsets.append((sources.count, targets.count))
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
    case .literal(let value): value.tensor?.storage.pointer ?? UnsafeRawPointer(base)
    case .environment: UnsafeRawPointer(base)
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
    case .literal: break
    }
  }

  /// The value in a slot. A planned one borrows the arena: it is good until the next run.
  func value(_ slot: Int) throws -> Value {
    let slot = plan.slots[slot]
    switch slot.place {
    case .literal(let value): return value
    case .environment(let index):
      guard let value = environment[index] else {
        throw RuntimeError(.evaluation, "'\(slot.name)' was read before it was computed")
      }
      return value
    case .arena(let offset):
      guard let type = slot.type.tensor, let shape = type.concreteShape, let bytes = type.byteCount else {
        throw RuntimeError(.evaluation, "'\(slot.name)' has no known type")
      }
      let storage = TensorStorage(borrowing: UnsafeRawPointer(base + offset), byteCount: bytes, owner: arena)
      return .tensor(try Tensor(type.scalar, shape: shape, storage: storage))
    }
  }

  /// Runs every step. `states` holds the state buffers by name; `shouldStop` is asked between steps, and so is the thread's cancellation.
  func run(states: StateBuffers, shouldStop: () -> Bool) throws {
    let cancellation = Cancellation.current
    try sources.withUnsafeBufferPointer { sources in
      try targets.withUnsafeBufferPointer { targets in
        guard let source = sources.baseAddress, let target = targets.baseAddress else { return }
        for (number, step) in plan.steps.enumerated() {
          if cancellation?.isCancelled == true || shouldStop() {
            throw RuntimeError(.cancelled, "the prediction was stopped before \(step.label)")
          }
          switch step.action {
          case .kernel(.openCL(let run)): try device?.run(run, step: number)
          case .kernel(.cpu(let run)):
            try run(
              CPUFrame(
                inputs: source + offsets[number].source, outputs: target + offsets[number].target,
                scratch: scratchBase, pool: plan.pool))
          case .evaluate: try evaluate(step.choice.operation, step)
          case .readState(let name): try store([.tensor(states.read(name))], step)
          case .writeState(let name): try states.write(name, from: dataTensor(of: step))
          case .upload: try upload(step)
          case .download: try download(step)
          }
        }
      }
    }
    // The device tells of faults, and keeps the programs that have run.
    try device?.queue.finish()
  }

  private func upload(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      let bytes = plan.slots[source].type.tensor?.byteCount
    else { return }
    try device?.upload(UnsafeRawBufferPointer(start: pointer(source), count: bytes), to: target)
  }

  private func download(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      let bytes = plan.slots[target].type.tensor?.byteCount
    else { return }
    let memory = UnsafeMutableRawPointer(mutating: pointer(target))
    try device?.download(source, into: UnsafeMutableRawBufferPointer(start: memory, count: bytes))
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

  private func store(_ values: [Value], _ step: Plan.Step) throws {
    for (slot, value) in zip(step.outputs, values) {
      switch plan.slots[slot].place {
      case .environment(let index): environment[index] = try value.detached()
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
      case .literal: break
      }
    }
  }
}

extension Value {
  /// The same value in memory of its own: results may borrow an arena that the next step overwrites.
  func detached() throws -> Value {
    switch self {
    case .tensor(let tensor) where tensor.scalar != .string:
      let copy = try tensor.withUnsafeBytes { try TensorStorage(copying: $0, for: "a copy of \(tensor.type)") }
      return .tensor(try Tensor(tensor.scalar, shape: tensor.shape, storage: copy))
    case .list(let items, let element): return .list(try items.map { try $0.detached() }, element: element)
    default: return self
    }
  }
}
