import CoreMLKernels
import MIL

/// The sessions of a control-flow step's blocks, kept between runs.
final class ControlSession {
  let flow: ControlFlow
  /// The memory of captured values; nil for those without planned memory.
  private let outer: [UnsafeMutableRawPointer?]
  private var loop: LoopSession?
  private var branches: [Session?] = [nil, nil]
  private var planned: [BlockPlan] = []
  private var memory: CapturedMemory?

  /// The number of type changes during a loop for which plans are made. After that, the interpreter continues.
  private static let patience = 4

  init(_ flow: ControlFlow, outer: [UnsafeMutableRawPointer?]) { (self.flow, self.outer) = (flow, outer) }

  /// Returns the results of the step, which borrow memory of this session. Operations without a plan are evaluated by
  /// `interpreter`, on the same states. Stored constants have no value in `captured`.
  func run(_ arguments: [Value], _ captured: [Value?], _ interpreter: Interpreter) throws -> [Value] {
    let read = zip(flow.captured, captured).compactMap { known, value in
      known.isConstant ? nil : value.map { (name: known.name, value: $0) }
    }
    let types = read.map(\.value.type)
    // Lists and other values without planned memory. Other captured values are read in place.
    let shown = read.filter { !$0.value.type.isPlanned }
    if flow.operation.type == "while_loop" {
      var variables = arguments
      for _ in 0..<Self.patience {
        guard let plans = try flow.loop(variables.map(\.type), types) else { break }
        let session = try self.session(plans)
        try session.show(shown, captured)
        switch try session.run(variables, interpreter.states, flow.operation.label) {
        case .ended(let results): return results
        case .changed(let values): variables = values
        }
      }
      return try interpreter.evaluate(flow.operation, ["loop_vars": variables], flow.names(captured))
    }
    guard let predicate = arguments.first, let plans = try flow.branches(types) else {
      return try interpreter.evaluate(flow.operation, ["pred": arguments], flow.names(captured))
    }
    let branch = try interpreter.truth(predicate, flow.operation) ? 0 : 1
    if planned.isEmpty || planned[0] !== plans[0] {
      (planned, branches, memory) = (plans, [nil, nil], try CapturedMemory(plans, outer: outer))
    }
    let session = try self.branch(branch)
    try memory?.show(captured)
    for (name, value) in shown { try session.set(name, value) }
    try session.run(states: interpreter.states, shouldStop: nil)
    return try plans[branch].outputs.map { try session.value($0) }
  }

  // MARK: runs without type checks

  /// Whether all inputs and outputs of the step have planned memory, with the types of the last run's plans. Then later
  /// runs have these types too.
  private(set) var isSettled = false

  /// Determines whether later runs can skip the type checks.
  func settle(_ step: Plan.Step, of plan: Plan) {
    let read = zip(flow.captured, step.captured).filter { !$0.0.isConstant }.map(\.1)
    let (inputs, outputs) = (step.inputs.map { plan.slots[$0] }, step.outputs.map { plan.slots[$0] })
    guard (inputs + read.map { plan.slots[$0] }).allSatisfy(\.hasMemory), outputs.allSatisfy(\.takesResults) else {
      return
    }
    if flow.operation.type == "while_loop" {
      isSettled = loop.map { $0.takes(inputs) && $0.takes(outputs) } ?? false
    } else {
      isSettled =
        !planned.isEmpty && inputs[0].type.tensor?.scalar == .bool && inputs[0].byteCount == 1
        && planned.allSatisfy { block in
          let own = block.outputs.map { block.plan.slots[$0] }
          return own.count == outputs.count
            && zip(own, outputs).allSatisfy { $0.hasMemory && $0.type == $1.type && $0.layout == $1.layout }
        }
    }
  }

  /// Runs a settled step in the memory of `session`, without allocation. Returns nil when the results are stored, or
  /// the variables of a loop that continues with other types.
  func run(_ step: Plan.Step, of session: Session, _ states: StateBuffers) throws -> [Value]? {
    if let loop { return try loop.run(step, of: session, states) }
    let branch = session.pointer(step.inputs[0]).load(as: UInt8.self) != 0 ? 0 : 1
    let own = try self.branch(branch)
    memory?.show(step.captured, of: session)
    try own.run(states: states, shouldStop: nil)
    let outputs = planned[branch].outputs
    for index in outputs.indices {
      let target = UnsafeMutableRawPointer(mutating: session.pointer(step.outputs[index]))
      target.copyMemory(from: own.pointer(outputs[index]), byteCount: own.plan.slots[outputs[index]].byteCount)
    }
    return nil
  }

  private func branch(_ number: Int) throws -> Session {
    if let session = branches[number] { return session }
    let plan = planned[number]
    let session = try Session(plan: plan.plan, outer: plan.memory(outer: memory?.places ?? outer, inputs: []))
    branches[number] = session
    return session
  }

  /// See `Session`.
  var isBusy: Bool { loop?.isBusy == true || branches.contains { $0?.isBusy == true } }

  func drain() {
    loop?.drain()
    for branch in branches { branch?.drain() }
  }

  private func session(_ plans: ControlFlow.Loop) throws -> LoopSession {
    if let loop, loop.plans === plans { return loop }
    let made = try LoopSession(plans, outer: outer)
    loop = made
    return made
  }
}

extension Plan.Slot {
  /// Whether the value's only storage is memory that is known before a run.
  fileprivate var hasMemory: Bool {
    guard type.isPlanned else { return false }
    switch storage {
    case .arena, .outer, .external, .literal: return true
    case .environment, .packed: return false
    }
  }

  /// Whether the session may write to that memory. It must not write to constants and captured values.
  fileprivate var takesResults: Bool {
    guard type.isPlanned else { return false }
    switch storage {
    case .arena, .external: return true
    case .outer, .literal, .environment, .packed: return false
    }
  }
}
