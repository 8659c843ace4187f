import CoreMLBase
import CoreMLKernels
import MIL

/// The storage of a plan's values: offsets in each device's arena, and environment slots for values whose shape is only
/// known at run time.
struct PlannedMemory {
  let slots: [Plan.Slot]
  /// Bytes by device.
  let arenaBytes: [Int]
  let scratchBytes: [Int]
  let environmentCount: Int
  let externals: [Plan.External]
  /// Constants that steps on devices other than the host read, by slot.
  let deviceConstants: [Int: StoredWeight]

  init(
    _ steps: [PlannedStep], forms: [LaidOutValue], values: [PlanCandidates.Slot], inputs: [(name: String, slot: Int)],
    outputs: [(name: String, slot: Int)], outer: [Int]?, deviceCount: Int, weights: WeightStore
  ) throws {
    let own = forms.map { values[$0.value] }
    let numbers = outer.map { Dictionary($0.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }) }
    var lives = Lifetimes(
      arenas: zip(forms, own).enumerated().map { index, pair in
        let isPlanned = !pair.1.isConstant && !pair.1.isDynamic && numbers?[index] == nil
        return isPlanned ? pair.0.device : nil
      },
      bytes: zip(forms, own).map { form, value in value.type.tensor.flatMap { form.layout.byteCount(of: $0) } ?? 0 },
      deviceCount: deviceCount)
    for input in inputs { lives.touch(input.slot, at: -1) }
    // Record all uses first. Memory can be reused only if the last use of each value is known.
    let ends = Self.ends(steps)
    for (time, planned) in steps.enumerated() {
      for slot in planned.step.inputs + planned.step.outputs + planned.step.captured { lives.touch(slot, at: time) }
      // The device reads host memory asynchronously, so the value stays live until the upload has completed.
      if case .upload = planned.step.action { for slot in planned.step.inputs { lives.touch(slot, at: ends[time]) } }
    }
    for output in outputs { lives.touch(output.slot, at: steps.count) }
    var externals: [Plan.External] = []
    // A block's inputs and outputs keep the storage that its iterations use.
    for input in inputs where outer == nil && lives.canBeFixed(input.slot) {
      lives.fix(input.slot, to: lives.addExternal(on: 0))
      externals.append(Plan.External(role: .input(input.name), slot: input.slot, device: 0))
    }
    let states = StatesInPlace(steps)
    let firstState = externals.count
    for device in states.devices { _ = lives.addExternal(on: device) }
    states.fix(&lives, from: firstState)
    externals += zip(states.names, states.devices).map { Plan.External(role: .state($0), slot: nil, device: $1) }
    for (time, planned) in steps.enumerated() {
      guard let candidate = planned.candidate, let output = planned.step.outputs.first else { continue }
      let operands = planned.step.inputs
      if let operand = candidate.alias, operands.indices.contains(operand) {
        lives.alias(output, to: operands[operand])
      } else if let operand = candidate.inPlace.first(where: {
        operands.indices.contains($0)
          && lives.canTakeOver(
            operands[$0], of: operands + planned.step.captured, by: output, at: time,
            allowsFixed: states.mayWrite(operands[$0], by: output, at: time, lives, from: firstState))
      }) {
        if let external = lives.external(of: operands[operand]) {
          lives.renew(operands[operand], until: states.end(ofWritingAt: time, external, from: firstState))
        }
        lives.alias(output, to: operands[operand])
      } else if !candidate.runs.isEmpty {
        lives.share(candidate.runs, operands: operands, outputs: planned.step.outputs)
      }
    }
    for output in outputs where outer == nil && lives.canBeFixed(output.slot) {
      lives.fix(output.slot, to: lives.addExternal(on: 0))
      externals.append(Plan.External(role: .output(output.name), slot: output.slot, device: 0))
    }
    self.externals = externals
    let memory = try lives.layOut()
    let decoded = try Self.decoded(steps, forms, own, outputs.map(\.slot), weights)
    deviceConstants = forms.indices.reduce(into: [:]) { constants, slot in
      guard forms[slot].device != 0, own[slot].isConstant else { return }
      constants[slot] = own[slot].weight ?? own[slot].literal?.tensor.flatMap { StoredWeight($0) }
    }
    var count = 0
    slots = forms.indices.map { index in
      let storage: Plan.Storage
      if let number = numbers?[index] {
        storage = .outer(number)
      } else if let literal = decoded[index] ?? own[index].literal {
        storage = .literal(literal)
      } else if own[index].weight != nil {
        storage = .packed
      } else if let external = lives.external(of: index) {
        storage = .external(external)
      } else if let offset = memory.offsets[index] {
        storage = .arena(offset)
      } else {
        storage = .environment(count)
        count += 1
      }
      return Plan.Slot(
        name: own[index].name, type: own[index].type, device: forms[index].device, layout: forms[index].layout,
        storage: storage)
    }
    environmentCount = count
    arenaBytes = memory.arenaBytes
    scratchBytes = (0..<deviceCount).map { device in
      steps.lazy.filter { $0.step.device == device }.map { $0.candidate?.scratchBytes ?? 0 }.max() ?? 0
    }
  }

  /// Constants that steps on the host read and that are not stored in the form that they need, by slot: weights to be
  /// expanded to dense tensors, and constants in a layout other than dense. Excludes packed operands, and values that
  /// only blocks with plans of their own read.
  private static func decoded(
    _ steps: [PlannedStep], _ forms: [LaidOutValue], _ values: [PlanCandidates.Slot], _ outputs: [Int],
    _ weights: WeightStore
  ) throws -> [Int: Value] {
    var read = Set(outputs)
    for planned in steps {
      if case .control = planned.step.action {} else { read.formUnion(planned.step.captured) }
      for (operand, slot) in planned.step.inputs.enumerated() where !planned.step.packed.contains(operand) {
        read.insert(slot)
      }
    }
    var decoded: [Int: Value] = [:]
    for slot in read where forms[slot].device == 0 && values[slot].isConstant {
      if forms[slot].layout == .dense {
        decoded[slot] = try values[slot].weight.map { .tensor(try weights.dense($0)) }
        continue
      }
      guard let weight = values[slot].weight ?? values[slot].literal?.tensor.flatMap({ StoredWeight($0) }) else {
        throw KernelError(.noKernel, "'\(values[slot].name)' is no tensor, and cannot be \(forms[slot].layout)")
      }
      decoded[slot] = .tensor(try weights.arranged(weight, forms[slot].layout))
    }
    return decoded
  }

  /// The host step by which each step has completed. The host waits for a device at a download from it, and at the end
  /// of the run. All work enqueued earlier on that device has completed by then, since queues run in order.
  private static func ends(_ steps: [PlannedStep]) -> [Int] {
    var ends = Array(steps.indices)
    var next: [Int: Int] = [:]
    for (time, planned) in steps.enumerated().reversed() where planned.step.device != 0 {
      if case .download = planned.step.action { next[planned.step.device] = time }
      ends[time] = next[planned.step.device] ?? steps.count
    }
    return ends
  }
}
