import CoreMLBase
import CoreMLKernels
import MIL

/// Builds the steps of a plan from step candidates. It prepares kernels, and inserts copies and reorders where a kernel
/// needs a value on another device or in another layout.
struct PlanBuilder {
  private let source: PlanCandidates
  /// The index of the chosen candidate of each draft.
  let chosen: [Int]
  /// The kernel of each draft, prepared.
  private(set) var prepared: [PreparedStep] = []
  /// Those of a plan for other shapes, where they fit here too.
  private let reusable: (Int, _ choice: Int) -> PreparedStep?
  private let outputs: [(name: String, slot: Int)]
  private let preparation: Preparation
  /// A slot of the plan is one value in one layout on one device.
  private(set) var forms: [LaidOutValue] = []
  private var number: [LaidOutValue: Int] = [:]
  /// The laid-out versions of each value, in the order of their creation.
  private var known: [Int: [LaidOutValue]] = [:]
  private var steps: [PlannedStep] = []
  private var blocks: Planner?
  /// What memory was laid out from.
  private(set) var uses: MemoryUses?
  /// The names of the operations in the model file that each value originates from.
  private var origins: [Int: [String]] = [:]

  init(
    _ drafts: PlanCandidates, outputs: [(name: String, slot: Int)],
    _ preparation: Preparation = Preparation(weights: WeightStore()),
    reusing reusable: @escaping (_ draft: Int, _ choice: Int) -> PreparedStep? = { _, _ in nil }
  ) throws {
    source = drafts
    self.preparation = preparation
    self.reusable = reusable
    chosen = try LayoutAssignment.chosen(drafts, results: Set(outputs.map(\.slot)))
    self.outputs = outputs
  }

  /// Builds the plan. `outer`, for a block, names the inputs that it reads directly from the outer scope. Inputs that
  /// are known constants are not inputs of the plan. `blocks` plans the bodies of control flow.
  mutating func build(
    inputs all: [String], outer: Set<String>? = nil, _ pool: ThreadPool, notes: [String],
    memory reserved: PlanningMemory? = nil, blocks: Planner? = nil, family: PlanFamily? = nil
  ) throws -> Plan {
    self.blocks = blocks
    var inputs: [String: Int] = [:]
    let names = all.filter { name in source.index[name].map { !source.slots[$0].isConstant } ?? true }
    for name in names {
      inputs[name] = source.index[name].map { slot(LaidOutValue(value: $0, device: 0, layout: .dense)) }
    }
    for (index, draft) in source.drafts.enumerated() {
      try Cancellation.check()
      try add(draft, index)
    }
    let results = try outputs.map {
      (name: $0.name, slot: try fetch(LaidOutValue(value: $0.slot, device: 0, layout: .dense)))
    }
    let memory = try PlannedMemory(
      steps, forms: forms, values: source.slots, inputs: names.compactMap { name in inputs[name].map { (name, $0) } },
      outputs: results, outer: outer.map { outer in names.filter(outer.contains).compactMap { inputs[$0] } },
      deviceCount: source.devices.count, weights: preparation.weights)
    uses = memory.uses
    let steps = self.steps.map(\.step)
    let constants = try source.devices.enumerated().map { number, device -> DeviceConstants? in
      guard let context = device.context, steps.contains(where: { $0.device == number }) else { return nil }
      return try DeviceFailure.blaming(number) {
        try DeviceConstants(
          context, device: number, patience: device.patience, constants: memory.deviceConstants, steps: steps,
          preparation.weights)
      }
    }
    return Plan(
      slots: memory.slots, steps: steps, inputs: inputs, outputs: results, externals: memory.externals,
      arenaBytes: memory.arenaBytes,
      scratchBytes: memory.scratchBytes, environmentCount: memory.environmentCount, pool: pool,
      deviceConstants: constants, notes: notes, memory: reserved, family: family)
  }

  // MARK: laid-out values

  private mutating func slot(_ form: LaidOutValue) -> Int {
    if let known = number[form] { return known }
    number[form] = forms.count
    known[form.value, default: []].append(form)
    forms.append(form)
    return forms.count - 1
  }

  /// The slot of a value on a device in a layout. Adds the copy and reorder steps that bring it there. Constants are
  /// available on all devices and in all layouts of the host.
  private mutating func fetch(_ form: LaidOutValue) throws -> Int {
    if let known = number[form] { return known }
    guard !source.slots[form.value].isConstant, let first = known[form.value]?.first else {
      return slot(form)
    }
    if form.layout != .dense { return try reorder(form, from: .dense) }
    if let other = known[form.value]?.first(where: { $0.device == form.device }) {
      return try reorder(form, from: other.layout)
    }
    // A copy between two devices goes through the host.
    let home = form.device == 0 ? first.device : 0
    return copy(form, from: try fetch(LaidOutValue(value: form.value, device: home, layout: .dense)))
  }

  private mutating func reorder(_ form: LaidOutValue, from layout: Layout) throws -> Int {
    let source = try fetch(LaidOutValue(value: form.value, device: form.device, layout: layout))
    let value = self.source.slots[form.value]
    guard form.device == 0, let type = value.type.tensor else {
      throw KernelError(.noKernel, "no kernel moves '\(value.name)' from \(layout) to \(form.layout)")
    }
    let reorder = try Reorder(type, from: layout, to: form.layout)
    let profile = self.source.devices[0].profile
    let target = slot(form)
    append(
      "reorder", form, .kernel(reorder.kernel), [source], [target], kernel: "\(layout) to \(form.layout)",
      cost: reorder.work.bytes / profile.bandwidth + profile.launch)
    return target
  }

  private mutating func copy(_ form: LaidOutValue, from slot: Int) -> Int {
    let device = form.device == 0 ? forms[slot].device : form.device
    let bytes = source.slots[form.value].type.tensor?.byteCount ?? 0
    let target = self.slot(form)
    append(
      "copy", LaidOutValue(value: form.value, device: device, layout: .dense), form.device == 0 ? .download : .upload,
      [slot],
      [target], kernel: form.device == 0 ? "to host" : "to device",
      cost: source.devices[device].placing.transfer(bytes: Double(bytes)), shownOn: form.device)
    return target
  }

  /// Appends a step that has no operation in the function.
  private mutating func append(
    _ type: String, _ form: LaidOutValue, _ action: Plan.Step.Action, _ inputs: [Int], _ outputs: [Int], kernel: String,
    cost: Double, shownOn device: Int? = nil
  ) {
    let value = source.slots[form.value]
    var operation = Operation(
      type, inputs: ["x": [.name(value.name)]], outputs: [NamedType(value.name, value.type)])
    operation.origins = origins[form.value] ?? []
    let choice = Plan.Choice(
      operation: operation, kernel: kernel, device: source.devices[device ?? form.device].kind, cost: cost,
      rejected: nil
    )
    append(
      Plan.Step(
        label: "\(type) '\(value.name)'", action: action, device: form.device, inputs: inputs, outputs: outputs,
        captured: [], packed: [], waits: waits(of: inputs, on: form.device), choice: choice), nil)
  }

  // MARK: steps

  /// The step that writes each slot.
  private var makers: [Int: Int] = [:]

  private mutating func append(_ step: Plan.Step, _ candidate: Candidate?) {
    for slot in step.outputs { makers[slot] = steps.count }
    steps.append(PlannedStep(step: step, candidate: candidate))
  }

  /// Steps on other queues that must complete before a step on `device` starts.
  private func waits(of inputs: [Int], on device: Int) -> [Int] {
    Set(inputs.compactMap { makers[$0] }.filter { steps[$0].step.device != device }).sorted()
  }

  private mutating func add(_ draft: StepCandidates, _ index: Int) throws {
    let device = draft.device
    let step = try reusable(index, chosen[index]) ?? decided(draft, draft.options?.all[chosen[index]])
    prepared.append(step)
    let (action, candidate, choice) = (step.action, step.candidate, step.choice)
    let inputs = try draft.inputs.enumerated().map { operand, value in
      // A state cannot be copied to a device, so its slot is always on the host.
      let place = source.slots[value].type.isState ? 0 : device
      return try fetch(
        LaidOutValue(value: value, device: place, layout: candidate?.layout(ofOperand: operand) ?? .dense))
    }
    let captured = try draft.captured.map { try fetch(LaidOutValue(value: $0, device: 0, layout: .dense)) }
    for value in draft.outputs { origins[value] = draft.operation.named }
    let outputs = draft.outputs.enumerated().map { number, value in
      slot(LaidOutValue(value: value, device: device, layout: candidate?.layout(ofOutput: number) ?? .dense))
    }
    append(
      Plan.Step(
        label: draft.operation.label, action: action, device: device, inputs: inputs, outputs: outputs,
        captured: captured, packed: candidate?.packed ?? [], waits: waits(of: inputs + captured, on: device),
        choice: choice), candidate)
  }

  /// The kernel that a step runs, prepared.
  func decided(
    _ draft: StepCandidates, _ option: KernelOption?
  ) throws -> PreparedStep {
    let device = source.devices[draft.device]
    func choice(_ kernel: String, _ cost: Double, _ rejected: RejectedKernels? = nil) -> Plan.Choice {
      Plan.Choice(operation: draft.operation, kernel: kernel, device: device.kind, cost: cost, rejected: rejected)
    }
    switch draft.action {
    case .kernel(let options):
      guard let option else { throw KernelError(.noKernel, "\(draft.operation.label): no kernel was chosen") }
      let (kernel, used, failures) = try prepared(option, options, draft)
      var choice = choice(used.implementation.name, used.cost, options.passedOver(by: used, failures: failures))
      choice.work = used.work
      return PreparedStep(.kernel(kernel), used.candidate, choice)
    case .evaluate:
      if let flow = try control(draft) {
        return PreparedStep(.control(flow), nil, choice("blocks", device.profile.launch))
      }
      return PreparedStep(.evaluate, nil, choice("run time", device.profile.launch))
    case .readState(let name): return PreparedStep(.readState(name), nil, choice("state", device.profile.launch))
    case .writeState(let name): return PreparedStep(.writeState(name), nil, choice("state", device.profile.launch))
    }
  }

  /// A loop or conditional. Its blocks are planned if the types of their inputs are known.
  private func control(_ draft: StepCandidates) throws -> ControlFlow? {
    guard let blocks, Interpreter.controlFlow.contains(draft.operation.type) else { return nil }
    let captured = zip(draft.capturedNames, draft.captured).map { name, value in
      let slot = source.slots[value]
      return BlockPlan.Captured(name: name, literal: slot.literal, weight: slot.weight, type: slot.type)
    }
    let flow = ControlFlow(draft.operation, captured: captured, states: draft.states, planner: blocks)
    try flow?.prepare(inputs: draft.inputs.map { source.slots[$0].type })
    return flow
  }

  /// The kernel of the chosen option. If it cannot be prepared, tries the other options that read and write the same
  /// layouts.
  private func prepared(
    _ chosen: KernelOption, _ options: KernelOptions, _ draft: StepCandidates
  ) throws -> (kernel: PreparedKernel, used: KernelOption, failures: [String: String]) {
    var failures: [String: String] = [:]
    var last: (any Error)?
    let others = options.all.filter {
      $0.implementation.name != chosen.implementation.name && $0.candidate.takes == chosen.candidate.takes
        && $0.candidate.gives == chosen.candidate.gives
    }
    for option in [chosen] + others {
      do { return (try option.candidate.prepare(preparation), option, failures) } catch let error as KernelError {
        failures[option.implementation.name] = "could not be prepared: \(error)"
        last = error
      }
    }
    let error = last ?? KernelError(.noKernel, "\(draft.operation.label): no kernel could be prepared")
    guard draft.device == 0 else { throw DeviceFailure(device: draft.device, operation: draft.operation, cause: error) }
    throw error
  }
}

/// What a step does, before its slots are known.
struct PreparedStep: Sendable {
  let action: Plan.Step.Action
  let candidate: Candidate?
  let choice: Plan.Choice

  init(_ action: Plan.Step.Action, _ candidate: Candidate?, _ choice: Plan.Choice) {
    (self.action, self.candidate, self.choice) = (action, candidate, choice)
  }

  /// The same kernel for another operation that computes the same.
  init(_ other: PreparedStep, for operation: Operation) {
    let choice = other.choice
    self.init(
      other.action, other.candidate,
      Plan.Choice(
        operation: operation, kernel: choice.kernel, device: choice.device, cost: choice.cost, work: choice.work,
        rejected: choice.rejected))
  }
}

/// A step with the candidate of its kernel, before memory is laid out.
struct PlannedStep {
  let step: Plan.Step
  let candidate: Candidate?
}
