import CoreMLKernels
import MIL

/// Turns a specialised function into a plan: each operation gets a device and a row, each value a place, and values that
/// cross devices get explicit copies.
struct Planner {
  private let source: Drafts
  private let placed: Place
  private let outputs: [(name: String, slot: Int)]
  /// A slot of the plan: a value of the function on one device.
  private var slots: [(value: Int, device: Int)] = []
  private var number: [Pair: Int] = [:]
  private var steps: [Building] = []

  private struct Pair: Hashable {
    let value: Int
    let device: Int
  }

  private struct Building {
    var step: Plan.Step
    let offer: Offer?
  }

  /// `outputNames` are the features' names, in the order of the function's outputs.
  static func plan(
    _ function: Function, outputNames: [String], pool: ThreadPool, devices: [PlanDevice],
    context: OpenCLContext? = nil
  ) throws -> Plan {
    let drafts = try Drafts(function, devices: devices, threads: pool.threads, context: context)
    let outputs = try zip(outputNames, function.body.outputs).map { name, value -> (name: String, slot: Int) in
      guard let slot = drafts.index[value] else {
        throw MILError(.invalidProgram, "the output '\(name)' is not computed")
      }
      return (name, slot)
    }
    var planner = Planner(
      source: drafts, placed: Place(drafts, outputs: Set(outputs.map(\.slot))), outputs: outputs)
    return try planner.build(function, pool, context)
  }

  private init(source: Drafts, placed: Place, outputs: [(name: String, slot: Int)]) {
    self.source = source
    self.placed = placed
    self.outputs = outputs
  }

  // MARK: steps

  private mutating func build(_ function: Function, _ pool: ThreadPool, _ context: OpenCLContext?) throws -> Plan {
    for input in function.inputs { _ = source.index[input.name].map { slot($0, on: 0) } }
    for (index, draft) in source.drafts.enumerated() {
      try Cancellation.check()
      let device = placed.device[index]
      let inputs = draft.inputs.map { fetch($0, on: device) }
      let captured = draft.captured.map { fetch($0, on: 0) }
      let outputs = draft.outputs.map { slot($0, on: device) }
      steps.append(try building(draft, device, inputs, outputs, captured))
    }
    let results = outputs.map { (name: $0.name, slot: fetch($0.slot, on: 0)) }
    let inputs = Dictionary(
      function.inputs.compactMap { input in source.index[input.name].map { (input.name, slot($0, on: 0)) } },
      uniquingKeysWith: { first, _ in first })
    let memory = try layOut(inputs: inputs, outputs: results.map(\.slot))
    let steps = self.steps.map(\.step)
    return Plan(
      slots: memory.slots, steps: steps, inputs: inputs, outputs: results, arenaBytes: memory.arenaBytes,
      scratchBytes: scratchBytes(), environmentCount: memory.environmentCount, pool: pool,
      deviceConstants: try context.map { try DeviceConstants($0, slots: memory.slots, steps: steps) })
  }

  private mutating func slot(_ value: Int, on device: Int) -> Int {
    let pair = Pair(value: value, device: device)
    if let known = number[pair] { return known }
    number[pair] = slots.count
    slots.append((value, device))
    return slots.count - 1
  }

  /// The slot of a value on a device, copied there first if it lives elsewhere. Literals live everywhere.
  private mutating func fetch(_ value: Int, on device: Int) -> Int {
    if let known = number[Pair(value: value, device: device)] { return known }
    guard source.slots[value].literal == nil, let home = number[Pair(value: value, device: 1 - device)] else {
      return slot(value, on: device)
    }
    let copy = slot(value, on: device)
    let name = source.slots[value].name
    let operation = Operation(
      "copy", inputs: ["x": [.name(name)]], outputs: [NamedType(name, source.slots[value].type)])
    let cost = source.devices[1].profile.transfer(bytes: Double(source.slots[value].byteCount))
    let choice = Plan.Choice(
      operation: operation, row: device == 0 ? "to host" : "to device", device: source.devices[device].kind, cost: cost,
      refusals: [])
    steps.append(
      Building(
        step: Plan.Step(
          label: "copy '\(name)'", action: device == 0 ? .download : .upload, device: 1, inputs: [home],
          outputs: [copy],
          captured: [], packed: [], choice: choice), offer: nil))
    return copy
  }

  private func building(
    _ draft: Draft, _ device: Int, _ inputs: [Int], _ outputs: [Int], _ captured: [Int]
  ) throws -> Building {
    let action: Plan.Step.Action
    var row = "run time"
    var cost = source.devices[0].profile.launch
    var offer: Offer?
    switch draft.action {
    case .kernel:
      guard let pick = draft.pick(on: device) else {
        throw KernelError(.noKernel, "\(draft.operation.label): no kernel on the chosen device")
      }
      action = .kernel(try pick.offer.prepare())
      (row, cost, offer) = (pick.row.name, pick.cost, pick.offer)
    case .evaluate: action = .evaluate
    case .readState(let name): (action, row) = (.readState(name), "state")
    case .writeState(let name): (action, row) = (.writeState(name), "state")
    }
    let choice = Plan.Choice(
      operation: draft.operation, row: row, device: source.devices[device].kind, cost: cost, refusals: draft.refusals)
    return Building(
      step: Plan.Step(
        label: draft.operation.label, action: action, device: device, inputs: inputs, outputs: outputs,
        captured: captured, packed: offer?.packed ?? [], choice: choice), offer: offer)
  }

  // MARK: memory

  private func scratchBytes() -> [Int] {
    source.devices.indices.map { device in
      steps.filter { $0.step.device == device }.map { $0.offer?.scratchBytes ?? 0 }.max() ?? 0
    }
  }

  private func layOut(
    inputs: [String: Int], outputs: [Int]
  ) throws -> (slots: [Plan.Slot], arenaBytes: [Int], environmentCount: Int) {
    let values = slots.map { source.slots[$0.value] }
    var lives = Lifetimes(
      arenas: zip(slots, values).map { $1.literal == nil && !$1.isDynamic ? $0.device : nil },
      bytes: values.map(\.byteCount))
    for slot in inputs.values { lives.touch(slot, at: -1) }
    // All uses come first, so that a last use is known to be the last when memory is handed on.
    for (time, building) in steps.enumerated() {
      for slot in building.step.inputs + building.step.outputs + building.step.captured { lives.touch(slot, at: time) }
    }
    for slot in outputs { lives.touch(slot, at: steps.count) }
    for (time, building) in steps.enumerated() {
      guard let offer = building.offer, let output = building.step.outputs.first else { continue }
      let operands = building.step.inputs
      if let operand = offer.alias, operands.indices.contains(operand) {
        lives.alias(output, to: operands[operand])
      } else if let operand = offer.inPlace.first(where: {
        operands.indices.contains($0)
          && lives.canTakeOver(operands[$0], of: operands + building.step.captured, by: output, at: time)
      }) {
        lives.alias(output, to: operands[operand])
      }
    }
    let memory = try lives.layOut(arenaCount: source.devices.count)
    var environmentCount = 0
    let planned = slots.indices.map { index -> Plan.Slot in
      let value = values[index]
      let place: Plan.Place
      if let literal = value.literal {
        place = .literal(literal)
      } else if let offset = memory.offsets[index] {
        place = .arena(offset)
      } else {
        place = .environment(environmentCount)
        environmentCount += 1
      }
      return Plan.Slot(name: value.name, type: value.type, device: slots[index].device, place: place)
    }
    return (planned, memory.arenaBytes, environmentCount)
  }
}
