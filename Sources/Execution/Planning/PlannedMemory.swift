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
  /// What the layout was made from.
  let uses: MemoryUses

  init(
    _ steps: [PlannedStep], forms: [LaidOutValue], values: [PlanCandidates.Slot], inputs: [(name: String, slot: Int)],
    outputs: [(name: String, slot: Int)], outer: [Int]?, deviceCount: Int, weights: WeightStore
  ) throws {
    let own = forms.map { values[$0.value] }
    let numbers = outer.map { Dictionary($0.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }) }
    let uses = MemoryUses(
      steps, forms: forms, own, inputs: inputs, outputs: outputs, outer: numbers, deviceCount: deviceCount)
    self.uses = uses
    let (lives, externals) = uses.shared()
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
}
