import CoreMLKernels
import MIL

/// The places of a plan's values: offsets in the arena of each device, and slots of the environment for what only run time shapes.
struct PlannedMemory {
  let slots: [Plan.Slot]
  /// By device.
  let arenaBytes: [Int]
  let scratchBytes: [Int]
  let environmentCount: Int

  init(
    _ steps: [PlannedStep], forms: [Form], values: [Drafts.Slot], inputs: [Int], outputs: [Int], external: [Int],
    deviceCount: Int
  ) throws {
    let own = forms.map { values[$0.value] }
    var lives = Lifetimes(
      arenas: zip(forms, own).enumerated().map { index, pair in
        pair.1.literal == nil && !pair.1.isDynamic && !external.contains(index) ? pair.0.device : nil
      },
      bytes: zip(forms, own).map { form, value in value.type.tensor.flatMap { form.layout.byteCount(of: $0) } ?? 0 })
    for slot in inputs { lives.touch(slot, at: -1) }
    // All uses come first, so that a last use is known to be the last when memory is handed on.
    let ends = Self.ends(steps)
    for (time, planned) in steps.enumerated() {
      for slot in planned.step.inputs + planned.step.outputs + planned.step.captured { lives.touch(slot, at: time) }
      // The device reads the host's memory when it gets there.
      if case .upload = planned.step.action { for slot in planned.step.inputs { lives.touch(slot, at: ends[time]) } }
    }
    for slot in outputs { lives.touch(slot, at: steps.count) }
    for (time, planned) in steps.enumerated() {
      guard let offer = planned.offer, let output = planned.step.outputs.first else { continue }
      let operands = planned.step.inputs
      if let operand = offer.alias, operands.indices.contains(operand) {
        lives.alias(output, to: operands[operand])
      } else if let operand = offer.inPlace.first(where: {
        operands.indices.contains($0)
          && lives.canTakeOver(operands[$0], of: operands + planned.step.captured, by: output, at: time)
      }) {
        lives.alias(output, to: operands[operand])
      }
    }
    let memory = try lives.layOut(arenaCount: deviceCount)
    var count = 0
    slots = forms.indices.map { index in
      let place: Plan.Place
      if let number = external.firstIndex(of: index) {
        place = .external(number)
      } else if let literal = own[index].literal {
        place = .literal(literal)
      } else if let offset = memory.offsets[index] {
        place = .arena(offset)
      } else {
        place = .environment(count)
        count += 1
      }
      return Plan.Slot(
        name: own[index].name, type: own[index].type, device: forms[index].device, layout: forms[index].layout,
        place: place)
    }
    environmentCount = count
    arenaBytes = memory.arenaBytes
    scratchBytes = (0..<deviceCount).map { device in
      steps.lazy.filter { $0.step.device == device }.map { $0.offer?.scratchBytes ?? 0 }.max() ?? 0
    }
  }

  /// When each step has surely ended, in the host's time. The host waits for a device where it downloads from it, and at the end; what was
  /// enqueued there before has ended then, for queues keep their order.
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
