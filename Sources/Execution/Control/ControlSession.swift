import CoreMLKernels
import MIL

/// What a session runs of the blocks of a control-flow step, kept from run to run.
final class ControlSession {
  let flow: ControlFlow
  /// The memory of what the blocks read from around them, where it has planned memory.
  private let around: [UnsafeMutableRawPointer?]
  private var loop: LoopSession?
  private var branches: [Session?] = [nil, nil]
  private var planned: [BlockPlan] = []
  private var memory: CapturedMemory?

  /// Types that a loop may come to while it runs, each with plans of its own, before it goes on without.
  private static let patience = 4

  init(_ flow: ControlFlow, around: [UnsafeMutableRawPointer?]) { (self.flow, self.around) = (flow, around) }

  /// The step's results, which borrow memory of this session. What has no plan is computed by `interpreter`, on the same states. Stored
  /// constants have no value in `captured`.
  func run(_ arguments: [Value], _ captured: [Value?], _ interpreter: Interpreter) throws -> [Value] {
    let read = zip(flow.captured, captured).compactMap { known, value in
      known.isConstant ? nil : value.map { (name: known.name, value: $0) }
    }
    let types = read.map(\.value.type)
    // Lists and the like; what has memory is read there.
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
      (planned, branches, memory) = (plans, [nil, nil], try CapturedMemory(plans, around: around))
    }
    let places = memory?.places ?? around
    let session =
      try branches[branch]
      ?? Session(plan: plans[branch].plan, around: plans[branch].memory(around: places, inputs: []))
    branches[branch] = session
    try memory?.show(captured)
    for (name, value) in shown { try session.set(name, value) }
    try session.run(states: interpreter.states, shouldStop: nil)
    return try plans[branch].outputs.map { try session.value($0) }
  }

  /// See `Session`.
  var isBusy: Bool { loop?.isBusy == true || branches.contains { $0?.isBusy == true } }

  func drain() {
    loop?.drain()
    for branch in branches { branch?.drain() }
  }

  private func session(_ plans: ControlFlow.Loop) throws -> LoopSession {
    if let loop, loop.plans === plans { return loop }
    let made = try LoopSession(plans, around: around)
    loop = made
    return made
  }
}
