/// Which reads of a state need no copy, and which kernels may write into the state itself.
///
/// A value read from a state is the state's memory as long as nothing is written to it; a kernel that would overwrite the value may do so
/// where its result is what the state is to hold next, and nobody else still reads what was there. Blocks of loops and branches
/// read and write states too, as steps of this plan and in plans of their own.
struct StatesInPlace {
  private struct Write {
    let time: Int
    /// What is written; nil where a block writes, in the middle of its step.
    let slot: Int?

    /// The last step that finds in the state what was there before.
    var end: Int { slot == nil ? time - 1 : time }
  }

  /// The steps that read and write each state, in order.
  private var reads: [String: [(time: Int, slot: Int)]] = [:]
  private var writes: [String: [Write]] = [:]
  /// The steps whose blocks read each state.
  private var inner: [String: [Int]] = [:]
  /// The states in the order of their external memory.
  let names: [String]
  /// The device whose memory each of them is in, in that order.
  let devices: [Int]

  init(_ steps: [PlannedStep]) {
    for (time, planned) in steps.enumerated() {
      switch planned.step.action {
      case .readState(let name):
        if let slot = planned.step.outputs.first { reads[name, default: []].append((time, slot)) }
      case .writeState(let name):
        if let slot = planned.step.stateData { writes[name, default: []].append(Write(time: time, slot: slot)) }
      case .control, .evaluate:
        guard !planned.step.choice.operation.blocks.isEmpty else { continue }
        let states = BlockStates(planned.step.choice.operation)
        for name in states.read { inner[name, default: []].append(time) }
        for name in states.written { writes[name, default: []].append(Write(time: time, slot: nil)) }
      default: break
      }
    }
    let names = reads.keys.sorted()
    self.names = names
    devices = names.map { [reads] name in reads[name]?.first.map { steps[$0.time].step.device } ?? 0 }
  }

  /// Fixes what is read to external memory, numbered from `first` in the order of `names`.
  func fix(_ lives: inout Lifetimes, from first: Int) {
    for (number, name) in names.enumerated() {
      for (time, slot) in reads[name] ?? [] where lives.canBeFixed(slot, on: devices[number]) {
        let end = nextWrite(of: name, after: time)?.end
        if lives.lastUse(of: slot) <= end ?? Int.max { lives.fix(slot, to: first + number, until: end) }
      }
    }
  }

  /// Whether a kernel may let `output` take over `operand`, which lies in a state's memory.
  func mayWrite(_ operand: Int, by output: Int, at time: Int, _ lives: Lifetimes, from first: Int) -> Bool {
    guard let external = lives.external(of: operand), names.indices.contains(external - first),
      case let name = names[external - first], let next = nextWrite(of: name, after: time), next.slot == output,
      lives.lastUse(of: output) <= nextWrite(of: name, after: next.time)?.end ?? Int.max
    else { return false }
    // Blocks read the state itself, and what is copied out of it is copied when it is read: until the write, that is what was there before.
    let between = time + 1..<next.time
    guard (inner[name] ?? []).within(between, at: \.self).isEmpty else { return false }
    // What others have read of it in place must be done with before.
    return (reads[name] ?? []).within(earlier(of: name, than: time)..<next.time, at: \.time).allSatisfy { read in
      lives.external(of: read.slot) == external ? lives.lastUse(of: read.slot) <= time : !between.contains(read.time)
    }
  }

  /// Reads before this share no memory with what anybody still reads at `time`: two writes came in between, the first of what may have been
  /// calculated in their memory.
  private func earlier(of name: String, than time: Int) -> Int {
    guard let writes = writes[name], case let place = writes.firstPlace({ $0.time > time }), place >= 2 else {
      return 0
    }
    return writes[place - 2].time
  }

  /// Until when the memory holds what a kernel at `time` wrote there.
  func end(ofWritingAt time: Int, _ external: Int, from first: Int) -> Int? {
    let name = names[external - first]
    return nextWrite(of: name, after: time).flatMap { nextWrite(of: name, after: $0.time)?.end }
  }

  private func nextWrite(of name: String, after time: Int) -> Write? {
    guard let writes = writes[name] else { return nil }
    let place = writes.firstPlace { $0.time > time }
    return place < writes.count ? writes[place] : nil
  }
}

extension Array {
  /// Where the elements begin that are `isAfter`: all that follow one are.
  fileprivate func firstPlace(_ isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The elements, which are in the order of their times, whose time is in a range.
  fileprivate func within(_ range: Range<Int>, at time: KeyPath<Element, Int>) -> ArraySlice<Element> {
    self[firstPlace { $0[keyPath: time] >= range.lowerBound }..<firstPlace { $0[keyPath: time] >= range.upperBound }]
  }
}
