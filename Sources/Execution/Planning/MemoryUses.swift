import CoreMLKernels

/// The lifetimes of a plan's values, and how its kernels may share their memory. Sizes decide afterwards which values
/// share.
struct MemoryUses {
  /// A step whose kernel may share the memory of its operands.
  // A class, so that an instance of a template does not copy the arrays of all steps.
  private final class Sharing: Sendable {
    let time: Int
    let operands: [Int]
    let outputs: [Int]
    let captured: [Int]
    let alias: Int?
    let inPlace: [Int]
    let runs: [Candidate.Run]

    init?(_ step: Plan.Step, _ candidate: Candidate?, at time: Int) {
      guard let candidate, !step.outputs.isEmpty,
        candidate.alias != nil || !candidate.inPlace.isEmpty || !candidate.runs.isEmpty
      else { return nil }
      (self.time, operands, outputs, captured) = (time, step.inputs, step.outputs, step.captured)
      (alias, inPlace, runs) = (candidate.alias, candidate.inPlace, candidate.runs)
    }
  }

  private var lives: Lifetimes
  private var externals: [Plan.External] = []
  private let states: StatesInPlace
  private let firstState: Int
  /// By step.
  private var sharing: [Sharing?]
  /// Those of other shapes, by step.
  private var replaced: [Int: Sharing?] = [:]
  /// The outputs that callers may supply memory for.
  private let outputs: [(name: String, slot: Int)]

  /// - Parameter outer: The numbers of captured values, for a block.
  init(
    _ steps: [PlannedStep], forms: [LaidOutValue], _ values: [PlanCandidates.Slot],
    inputs: [(name: String, slot: Int)], outputs: [(name: String, slot: Int)], outer: [Int: Int]?, deviceCount: Int
  ) {
    lives = Lifetimes(
      arenas: zip(forms, values).enumerated().map { index, pair in
        let isPlanned = !pair.1.isConstant && !pair.1.isDynamic && outer?[index] == nil
        return isPlanned ? pair.0.device : nil
      },
      bytes: zip(forms, values).map { form, value in
        value.type.tensor.flatMap { form.layout.byteCount(of: $0) } ?? 0
      },
      deviceCount: deviceCount)
    for input in inputs { lives.touch(input.slot, at: -1) }
    // Record all uses first. Memory can be reused only if the last use of each value is known.
    let ends = Self.ends(steps)
    for (time, planned) in steps.enumerated() {
      for slots in [planned.step.inputs, planned.step.outputs, planned.step.captured] {
        for slot in slots { lives.touch(slot, at: time) }
      }
      // The device reads host memory asynchronously, so the value stays live until the upload has completed.
      if case .upload = planned.step.action { for slot in planned.step.inputs { lives.touch(slot, at: ends[time]) } }
    }
    for output in outputs { lives.touch(output.slot, at: steps.count) }
    // A block's inputs and outputs keep the storage that its iterations use.
    for input in inputs where outer == nil && lives.canBeFixed(input.slot) {
      lives.fix(input.slot, to: lives.addExternal(on: 0))
      externals.append(Plan.External(role: .input(input.name), slot: input.slot, device: 0))
    }
    states = StatesInPlace(steps)
    firstState = externals.count
    for device in states.devices { _ = lives.addExternal(on: device) }
    states.fix(&lives, from: firstState)
    externals += zip(states.names, states.devices).map { Plan.External(role: .state($0), slot: nil, device: $1) }
    sharing = steps.enumerated().map { Sharing($1.step, $1.candidate, at: $0) }
    self.outputs = outer == nil ? outputs : []
  }

  // MARK: other shapes

  mutating func resize(_ slot: Int, to byteCount: Int) { lives.resize(slot, to: byteCount) }

  mutating func replace(_ step: Int, _ new: Plan.Step, _ candidate: Candidate?) {
    replaced[step] = .some(Sharing(new, candidate, at: step))
  }

  // MARK: sharing

  /// The lifetimes of the owners of memory, and all external memory.
  func shared() -> (lives: Lifetimes, externals: [Plan.External]) {
    var (lives, externals) = (lives, externals)
    for index in sharing.indices {
      guard let step = replaced[index] ?? sharing[index] else { continue }
      let (operands, output) = (step.operands, step.outputs[0])
      if let operand = step.alias, operands.indices.contains(operand) {
        lives.alias(output, to: operands[operand])
      } else if let operand = step.inPlace.first(where: {
        operands.indices.contains($0)
          && lives.canTakeOver(
            operands[$0], of: operands + step.captured, by: output, at: step.time,
            allowsFixed: states.mayWrite(operands[$0], by: output, at: step.time, lives, from: firstState))
      }) {
        if let external = lives.external(of: operands[operand]) {
          lives.renew(operands[operand], until: states.end(ofWritingAt: step.time, external, from: firstState))
        }
        lives.alias(output, to: operands[operand])
      } else if !step.runs.isEmpty {
        lives.share(step.runs, operands: operands, outputs: step.outputs)
      }
    }
    for output in outputs where lives.canBeFixed(output.slot) {
      lives.fix(output.slot, to: lives.addExternal(on: 0))
      externals.append(Plan.External(role: .output(output.name), slot: output.slot, device: 0))
    }
    return (lives, externals)
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
