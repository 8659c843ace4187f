import CoreMLBase
import CoreMLKernels
import MIL

/// Steps that are not host kernels: those of devices, and operations that are evaluated outside of the plan.
extension Session {
  /// Runs a step that is not a host kernel.
  func run(_ number: Int, _ step: Plan.Step, _ states: StateBuffers) throws {
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

  private func upload(_ step: Plan.Step) throws {
    guard let source = step.inputs.first, let target = step.outputs.first,
      case let bytes = plan.slots[source].byteCount, bytes > 0
    else { return }
    // Output memory belongs to the caller and returns to it when the prediction is cancelled. So wait for uploads from
    // it.
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

  /// A captured value of a block; nil for a constant that the block's plans contain.
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
