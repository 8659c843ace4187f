/// Determines which state reads need no copy, and which kernels may write directly into a state.
///
/// A value read from a state aliases the state's memory until the state is written. A kernel may overwrite the value in
/// place if its result is the next value of the state and no other step still reads the old contents. Blocks of loops
/// and conditionals also read and write states. Their accesses count as accesses of the step that runs the block.
struct StatesInPlace {
  private struct Write {
    let time: Int
    /// The slot that is written; nil for a write inside a block, in the middle of its step.
    let slot: Int?

    /// The last step that sees the state's contents from before the write.
    var end: Int { slot == nil ? time - 1 : time }
  }

  /// The steps that read and write each state, in order.
  private var reads: [String: [(time: Int, slot: Int)]] = [:]
  private var writes: [String: [Write]] = [:]
  /// The steps whose blocks read each state.
  private var inner: [String: [Int]] = [:]
  /// The states, in the order of their external memory.
  let names: [String]
  /// The device whose memory holds each state, in the same order.
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

  /// Assigns values read from states to external memory, numbered from `first` in the order of `names`.
  func fix(_ lives: inout Lifetimes, from first: Int) {
    for (number, name) in names.enumerated() {
      for (time, slot) in reads[name] ?? [] where lives.canBeFixed(slot, on: devices[number]) {
        let end = nextWrite(of: name, after: time)?.end
        if lives.lastUse(of: slot) <= end ?? Int.max { lives.fix(slot, to: first + number, until: end) }
      }
    }
  }

  /// Whether a kernel may write `output` over `operand`, which aliases a state's memory.
  func mayWrite(_ operand: Int, by output: Int, at time: Int, _ lives: Lifetimes, from first: Int) -> Bool {
    guard let external = lives.external(of: operand), names.indices.contains(external - first),
      case let name = names[external - first], let next = nextWrite(of: name, after: time), next.slot == output,
      lives.lastUse(of: output) <= nextWrite(of: name, after: next.time)?.end ?? Int.max
    else { return false }
    // Until the write, blocks must read the old contents from the state. Values copied out of the state are copied when
    // they are read, so they must not be read in between either.
    let between = time + 1..<next.time
    guard (inner[name] ?? []).within(between, at: \.self).isEmpty else { return false }
    // All in-place reads of the old contents must end before the kernel overwrites them.
    return (reads[name] ?? []).within(earlier(of: name, than: time)..<next.time, at: \.time).allSatisfy { read in
      lives.external(of: read.slot) == external ? lives.lastUse(of: read.slot) <= time : !between.contains(read.time)
    }
  }

  /// The time of the second-last write up to `time`, or 0. Reads before it share no memory with a value that is still
  /// read at `time`. The last write alone is not enough, because its value may have been computed in the memory of an
  /// earlier read.
  private func earlier(of name: String, than time: Int) -> Int {
    guard let writes = writes[name], case let place = writes.firstPlace({ $0.time > time }), place >= 2 else {
      return 0
    }
    return writes[place - 2].time
  }

  /// The last step at which the memory holds what a kernel wrote at `time`.
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
  /// The index of the first element for which `isAfter` is true. Elements must be partitioned by it.
  fileprivate func firstPlace(_ isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The elements with a time in `range`. Elements must be sorted by time.
  fileprivate func within(_ range: Range<Int>, at time: KeyPath<Element, Int>) -> ArraySlice<Element> {
    self[firstPlace { $0[keyPath: time] >= range.lowerBound }..<firstPlace { $0[keyPath: time] >= range.upperBound }]
  }
}
