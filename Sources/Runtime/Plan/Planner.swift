import CoreMLKernels
import MIL

/// Turns a specialised function into a plan: each operation gets a row, each value a place.
struct Planner {
  let pool: ThreadPool
  let profile: DeviceProfile

  private var slots: [(name: String, type: ValueType, literal: Value?, isDynamic: Bool)] = []
  private var index: [String: Int] = [:]
  private var scope = Scope()
  private var drafts: [Draft] = []

  private struct Draft {
    let operation: Operation
    var action: Plan.Step.Action
    let inputs: [Int]
    let outputs: [Int]
    let captured: [Int]
    let offer: Offer?
    let choice: Plan.Choice
  }

  init(pool: ThreadPool, profile: DeviceProfile) {
    self.pool = pool
    self.profile = profile
  }

  /// `outputNames` are the features' names, in the order of the function's outputs.
  static func plan(
    _ function: Function, outputNames: [String], pool: ThreadPool, profile: DeviceProfile
  ) throws -> Plan {
    var planner = Planner(pool: pool, profile: profile)
    for input in function.inputs { planner.define(input.name, input.type) }
    for operation in function.body.operations { try planner.add(operation) }
    return try planner.finish(function, outputNames)
  }

  // MARK: values

  private mutating func define(_ name: String, _ type: ValueType, literal: Value? = nil) {
    let isPlanned: Bool
    if case .tensor(let tensor) = type { isPlanned = tensor.isConcrete && tensor.scalar != .string } else { isPlanned = false }
    index[name] = slots.count
    slots.append((name, type, literal, literal == nil && !isPlanned))
    scope.define(name, type, value: literal)
  }

  private mutating func slot(of binding: Binding, _ operation: Operation) throws -> Int {
    switch binding {
    case .name(let name):
      guard let slot = index[name] else {
        throw MILError(.invalidProgram, "it reads '\(name)', which is not defined", operation: operation.label)
      }
      return slot
    case .literal(let value):
      slots.append(("", value.type, value, false))
      return slots.count - 1
    }
  }

  // MARK: operations

  private mutating func add(_ operation: Operation) throws {
    if operation.type == "const", let value = operation.constant, let output = operation.outputs.first {
      define(output.name, value.type, literal: value)
      return
    }
    var inputs: [Int] = []
    for (_, _, binding) in Site.order(of: operation) { inputs.append(try slot(of: binding, operation)) }
    let captured = Set(operation.blocks.flatMap(\.capturedNames)).sorted().compactMap { index[$0] }
    let before = scope
    for output in operation.outputs { define(output.name, output.type) }
    let outputs = operation.outputs.compactMap { index[$0.name] }
    let (action, offer, choice) = try decide(operation, inputs, outputs, before)
    drafts.append(
      Draft(
        operation: operation, action: action, inputs: inputs, outputs: outputs, captured: captured, offer: offer,
        choice: choice))
  }

  private func decide(
    _ operation: Operation, _ inputs: [Int], _ outputs: [Int], _ scope: Scope
  ) throws -> (Plan.Step.Action, Offer?, Plan.Choice) {
    func runtime(_ action: Plan.Step.Action, _ row: String) -> (Plan.Step.Action, Offer?, Plan.Choice) {
      (action, nil, Plan.Choice(operation: operation, row: row, device: .cpu, cost: profile.launch, refusals: []))
    }
    switch operation.type {
    case "read_state", "write_state":
      guard case .name(let state)? = operation.inputs["input"]?.first else {
        throw MILError(.invalidArgument, "its state has no name", operation: operation.label)
      }
      return runtime(operation.type == "read_state" ? .readState(state) : .writeState(state), "state")
    default: break
    }
    let isPlanned =
      operation.blocks.isEmpty && !outputs.contains { slots[$0].isDynamic } && !inputs.contains { isUnplanned($0) }
    guard isPlanned else {
      try requireComputable(operation)
      return runtime(.evaluate(operation), "run time")
    }
    let invocation = try scope.invocation(of: operation)
    let types = outputs.compactMap { slots[$0].type.tensor }
    let site = Site(invocation: invocation, outputs: types, threads: pool.threads)
    let work = try Operations.definition(of: operation).work(invocation, outputs: outputs.map { slots[$0].type })
    let choose = Choose(profile: profile, device: .cpu, threads: pool.threads)
    let (pick, refusals) = try choose(site, work: work)
    guard let pick else {
      let reasons = refusals.map { "\($0.row): \($0.reason)" }.joined(separator: "; ")
      throw KernelError(
        .noKernel, "\(operation.label): no kernel computes '\(operation.type)'\(reasons.isEmpty ? "" : " (\(reasons))")")
    }
    let choice = Plan.Choice(
      operation: operation, row: pick.row.name, device: .cpu, cost: pick.cost, refusals: pick.refusals)
    return (.kernel(try pick.offer.prepare(), scratch: pick.offer.scratchBytes), pick.offer, choice)
  }

  /// A literal list or string, or a value only run time shapes: not memory that a kernel can be given.
  private func isUnplanned(_ slot: Int) -> Bool {
    if slots[slot].isDynamic { return true }
    guard case .tensor = slots[slot].type else { return true }
    return false
  }

  private func requireComputable(_ operation: Operation) throws {
    guard KernelTable.computes(operation.type) || !operation.blocks.isEmpty else {
      throw KernelError(.noKernel, "\(operation.label): no kernel computes '\(operation.type)'")
    }
    for inner in operation.blocks.flatMap(\.operations) where inner.type != "const" { try requireComputable(inner) }
  }

  // MARK: memory

  private func finish(_ function: Function, _ outputNames: [String]) throws -> Plan {
    let outputs = try zip(outputNames, function.body.outputs).map { name, value -> (name: String, slot: Int) in
      guard let slot = index[value] else { throw MILError(.invalidProgram, "the output '\(name)' is not computed") }
      return (name, slot)
    }
    let inputs = Dictionary(
      function.inputs.compactMap { input in index[input.name].map { (input.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    var lives = Lifetimes(
      count: slots.count, isPlanned: slots.map { $0.literal == nil && !$0.isDynamic },
      bytes: slots.map { $0.type.tensor?.byteCount ?? 0 })
    for slot in inputs.values { lives.touch(slot, at: -1) }
    // Everything a step reads or writes is touched before aliases are decided, so that a last use is known to be the last.
    for (time, draft) in drafts.enumerated() {
      for slot in draft.inputs + draft.outputs + draft.captured { lives.touch(slot, at: time) }
    }
    for (_, slot) in outputs { lives.touch(slot, at: drafts.count) }
    for (time, draft) in drafts.enumerated() {
      guard let offer = draft.offer, let output = draft.outputs.first else { continue }
      if let operand = offer.alias, draft.inputs.indices.contains(operand) {
        lives.alias(output, to: draft.inputs[operand])
      } else if let operand = offer.inPlace.first(where: { lives.canTakeOver(draft.inputs[$0], by: output, at: time) }) {
        lives.alias(output, to: draft.inputs[operand])
      }
    }
    let memory = try lives.layOut()
    var environment = 0
    let placed = slots.enumerated().map { number, slot -> Plan.Slot in
      let place: Plan.Place
      switch memory.places[number] {
      case .offset(let offset): place = .arena(offset)
      case .none:
        place = .environment(environment)
        environment += 1
      }
      return Plan.Slot(name: slot.name, type: slot.type, place: slot.literal.map { .literal($0) } ?? place)
    }
    let steps = drafts.map {
      Plan.Step(
        label: $0.operation.label, action: $0.action, inputs: $0.inputs, outputs: $0.outputs, captured: $0.captured,
        choice: $0.choice)
    }
    let scratch = drafts.map { $0.offer?.scratchBytes ?? 0 }.max() ?? 0
    return Plan(
      slots: placed, steps: steps, inputs: inputs, outputs: outputs, arenaBytes: memory.totalBytes,
      scratchBytes: scratch, environmentCount: environment, pool: pool)
  }
}
