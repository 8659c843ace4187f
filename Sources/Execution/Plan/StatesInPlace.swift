/// Which reads of a state need no copy, and which kernels may write into the state itself.
///
/// A value read from a state is the state's memory as long as nothing is written to it; a kernel that would overwrite the value may do so
/// where its result is what the state is to hold next, and nobody else still reads what was there.
struct StatesInPlace {
  /// The steps that read and write each state, in order.
  private var reads: [String: [(time: Int, slot: Int)]] = [:]
  private var writes: [String: [(time: Int, slot: Int)]] = [:]
  /// The states in the order of their external memory.
  let names: [String]

  init(_ steps: [PlannedStep]) {
    for (time, planned) in steps.enumerated() {
      switch planned.step.action {
      case .readState(let name):
        if let slot = planned.step.outputs.first { reads[name, default: []].append((time, slot)) }
      case .writeState(let name):
        if let slot = planned.step.stateData { writes[name, default: []].append((time, slot)) }
      default: break
      }
    }
    names = reads.keys.sorted()
  }

  /// Fixes what is read to external memory, numbered from `first` in the order of `names`.
  func fix(_ lives: inout Lifetimes, from first: Int) {
    for (number, name) in names.enumerated() {
      for (time, slot) in reads[name] ?? [] where lives.canBeFixed(slot) {
        let next = nextWrite(of: name, after: time)?.time
        if lives.lastUse(of: slot) <= next ?? Int.max { lives.fix(slot, to: first + number, until: next) }
      }
    }
  }

  /// Whether a kernel may let `output` take over `operand`, which lies in a state's memory.
  func mayWrite(_ operand: Int, by output: Int, at time: Int, _ lives: Lifetimes, from first: Int) -> Bool {
    guard let external = lives.external(of: operand), names.indices.contains(external - first),
      let next = nextWrite(of: names[external - first], after: time), next.slot == output
    else { return false }
    let name = names[external - first]
    let later = nextWrite(of: name, after: next.time)?.time ?? Int.max
    guard lives.lastUse(of: output) <= later else { return false }
    // What others have read of it must be done with before, and what they will read comes after it is written.
    return (reads[name] ?? []).allSatisfy { read in
      lives.external(of: read.slot) != external || lives.lastUse(of: read.slot) <= time || read.time > next.time
    }
  }

  /// Until when the memory holds what a kernel at `time` wrote there.
  func end(ofWritingAt time: Int, _ external: Int, from first: Int) -> Int? {
    let name = names[external - first]
    return nextWrite(of: name, after: time).flatMap { nextWrite(of: name, after: $0.time)?.time }
  }

  private func nextWrite(of name: String, after time: Int) -> (time: Int, slot: Int)? {
    writes[name]?.first { $0.time > time }
  }
}
