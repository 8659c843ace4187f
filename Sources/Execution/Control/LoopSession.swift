import CoreMLBase
import CoreMLKernels
import MIL

/// The memory of a loop in a session. The variables are stored in the body's inputs and stay there between iterations.
final class LoopSession {
  /// How the iterations ended.
  enum Outcome {
    /// The condition was false. Has the variables.
    case ended([Value])
    /// An iteration changed the types of its variables. Has the variables after it.
    case changed([Value])
  }

  let plans: ControlFlow.Loop
  private let body: Session
  private let condition: Session
  /// The slots of the body's inputs, by variable number.
  private let inputs: [Int]
  /// Variables that the condition cannot read in the body's memory.
  private let shown: [(variable: Int, name: String)]
  /// Copies of results that are stored where another variable's next value goes.
  private var staged: [TensorStorage?] = []

  private static let maximumRounds = Interpreter.maximumIterations

  private let outer: CapturedMemory

  /// `memory` is the memory of captured values by index; nil for those without planned memory.
  init(_ plans: ControlFlow.Loop, outer memory: [UnsafeMutableRawPointer?]) throws {
    self.plans = plans
    outer = try CapturedMemory([plans.condition, plans.body], outer: memory)
    let body = try Session(plan: plans.body.plan, outer: plans.body.memory(outer: outer.places, inputs: []))
    var inputs = Array(repeating: 0, count: plans.body.outputs.count)
    for input in plans.body.inputs { if case .input(let number) = input.source { inputs[number] = input.slot } }
    let places = inputs.map { body.memory($0) }
    condition = try Session(
      plan: plans.condition.plan, outer: plans.condition.memory(outer: outer.places, inputs: places))
    shown = plans.condition.inputs.compactMap { input in
      guard case .input(let number) = input.source, places[number] == nil else { return nil }
      return (number, plans.condition.plan.slots[input.slot].name)
    }
    (self.body, self.inputs) = (body, inputs)
    let targets = MemoryRanges(inputs.compactMap { range($0) })
    staged = try inputs.indices.map { try stage($0, targets) }
  }

  /// The memory range of a slot of the body.
  private func range(_ slot: Int) -> Range<UnsafeRawPointer>? {
    body.memory(slot).map { UnsafeRawPointer($0)..<UnsafeRawPointer($0 + plans.body.plan.slots[slot].byteCount) }
  }

  /// Memory for a result that would be overwritten before it is copied. `targets` has the memory of the variables.
  private func stage(_ variable: Int, _ targets: MemoryRanges) throws -> TensorStorage? {
    guard let source = range(plans.body.outputs[variable]),
      source.lowerBound != body.memory(inputs[variable]).map({ UnsafeRawPointer($0) }), targets.overlaps(source)
    else { return nil }
    return try TensorStorage(byteCount: source.count, for: "a loop's variable")
  }

  /// Passes captured values to the blocks.
  func show(_ values: [(name: String, value: Value)], _ captured: [Value?]) throws {
    try outer.show(captured)
    for (name, value) in values {
      try body.set(name, value)
      try condition.set(name, value)
    }
  }

  /// Runs iterations until the condition is false. The results borrow memory of the session.
  func run(_ variables: [Value], _ states: StateBuffers, _ label: String) throws -> Outcome {
    for (slot, value) in zip(inputs, variables) { try body.put(value, in: slot) }
    return try hasEnded(states, label) ? .ended(inputs.map { try body.value($0) }) : .changed(values)
  }

  /// Whether variables in these slots have the same types and layouts as the body's. `run(_:of:_:)` requires it.
  func takes(_ slots: [Plan.Slot]) -> Bool {
    let own = plans.body.plan.slots
    return shown.isEmpty && slots.count == inputs.count
      && zip(inputs, slots).allSatisfy { input, slot in
        body.memory(input) != nil && own[input].type == slot.type && own[input].layout == slot.layout
      }
  }

  /// Runs the loop of a step whose values all have planned memory of `session`, without allocation. Returns nil when
  /// the results are stored, or the variables after an iteration that changed their types.
  func run(_ step: Plan.Step, of session: Session, _ states: StateBuffers) throws -> [Value]? {
    outer.show(step.captured, of: session)
    let own = plans.body.plan.slots
    for index in inputs.indices {
      let target = UnsafeMutableRawPointer(mutating: body.pointer(inputs[index]))
      target.copyMemory(from: session.pointer(step.inputs[index]), byteCount: own[inputs[index]].byteCount)
    }
    guard try hasEnded(states, step.label) else { return try values }
    for index in inputs.indices {
      let target = UnsafeMutableRawPointer(mutating: session.pointer(step.outputs[index]))
      target.copyMemory(from: body.pointer(inputs[index]), byteCount: own[inputs[index]].byteCount)
    }
    return nil
  }

  /// The variables after an iteration that changed their types, in separate memory.
  private var values: [Value] {
    get throws { try plans.body.outputs.map { try body.value($0).kept() } }
  }

  /// Runs iterations until the condition is false. Returns false if an iteration changed the types of its variables.
  private func hasEnded(_ states: StateBuffers, _ label: String) throws -> Bool {
    for _ in 0..<Self.maximumRounds {
      try Cancellation.check()
      // Iterates over indices here and in `carry`, since a loop over elements allocates memory in debug builds.
      for index in shown.indices { try condition.set(shown[index].name, body.value(inputs[shown[index].variable])) }
      try condition.run(states: states, shouldStop: nil)
      guard try condition.truth(plans.condition.outputs[0], label) else { return true }
      try body.run(states: states, shouldStop: nil)
      guard try carry() else { return false }
    }
    throw RuntimeError(.evaluation, "\(label): the loop did not end after \(Self.maximumRounds) iterations")
  }

  /// See `Session`.
  var isBusy: Bool { body.isBusy || condition.isBusy }

  func drain() {
    body.drain()
    condition.drain()
  }

  /// Copies the results of an iteration to the variables of the next one. Returns false if a type has changed.
  private func carry() throws -> Bool {
    let plan = plans.body.plan
    for variable in inputs.indices where body.memory(inputs[variable]) != nil {
      let (input, output) = (inputs[variable], plans.body.outputs[variable])
      if body.memory(output) == nil {
        guard try body.value(output).type == plan.slots[input].type else { return false }
      } else if plan.slots[output].type != plan.slots[input].type {
        return false
      }
    }
    for variable in staged.indices {
      let output = plans.body.outputs[variable]
      guard let memory = staged[variable]?.mutablePointer, let source = body.memory(output) else { continue }
      memory.copyMemory(from: source, byteCount: plan.slots[output].byteCount)
    }
    // Read all lists before any is written, since variables may exchange lists.
    var others: [(slot: Int, value: Value)] = []
    for variable in inputs.indices {
      let (input, output) = (inputs[variable], plans.body.outputs[variable])
      guard let target = body.memory(input), let source = staged[variable]?.mutablePointer ?? body.memory(output) else {
        if input != output { others.append((input, try body.value(output))) }
        continue
      }
      if source != target { target.copyMemory(from: source, byteCount: plan.slots[input].byteCount) }
    }
    for (slot, value) in others { try body.put(value, in: slot) }
    return true
  }
}

extension BlockPlan {
  /// The memory of the plan's captured values, by number.
  func memory(
    outer: [UnsafeMutableRawPointer?], inputs places: [UnsafeMutableRawPointer?]
  ) throws -> [UnsafeMutableRawPointer] {
    var result: [Int: UnsafeMutableRawPointer] = [:]
    for input in inputs {
      guard case .outer(let number) = plan.slots[input.slot].storage else { continue }
      let place: UnsafeMutableRawPointer?
      switch input.source {
      case .captured(let index): place = outer.indices.contains(index) ? outer[index] : nil
      case .input(let index): place = places.indices.contains(index) ? places[index] : nil
      }
      guard let place else { throw RuntimeError(.evaluation, "'\(plan.slots[input.slot].name)' has no memory") }
      result[number] = place
    }
    return try (0..<result.count).map { number in
      guard let place = result[number] else { throw RuntimeError(.evaluation, "a block's memory is not numbered") }
      return place
    }
  }
}
