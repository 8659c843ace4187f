import CoreMLBase
import CoreMLKernels
import MIL

/// A value as stored on one device in one layout.
struct LaidOutValue: Hashable {
  let value: Int
  let device: Int
  let layout: Layout
}

/// Chooses the kernel of each operation where kernels differ in the layouts that they read and write. The total cost
/// includes reordering values between layouts.
///
/// Operations start with a dense kernel, if they have one. Islands, which are connected operations that have kernels
/// for a layout, switch to that layout as a whole if this lowers the cost. Afterwards single operations switch.
struct LayoutAssignment {
  private let drafts: [StepCandidates]
  private let slots: [PlanCandidates.Slot]
  private let devices: [PlanDevice]
  private let results: Set<Int>
  private var makers: [Int: (draft: Int, output: Int)] = [:]
  private var readers: [Int: [(draft: Int, operand: Int)]] = [:]
  /// The index of the chosen candidate of each operation.
  private var choice: [Int]
  /// The number of operands that read a value in each layout. Counts make the cost of a value independent of its number
  /// of readers.
  private var reads: [Int: [Layout: Int]] = [:]

  private static let rounds = 4

  /// The index of the chosen candidate of each operation; 0 for operations that no kernel computes.
  ///
  /// - Throws: `MILError` of code `.cancelled`.
  static func chosen(_ drafts: PlanCandidates, results: Set<Int>) throws -> [Int] {
    var forms = LayoutAssignment(drafts, results: results)
    if forms.hasLayouts { try forms.settle() }
    return forms.choice
  }

  private init(_ drafts: PlanCandidates, results: Set<Int>) {
    self.drafts = drafts.drafts
    slots = drafts.slots
    devices = drafts.devices
    self.results = results
    choice = Array(repeating: 0, count: drafts.drafts.count)
  }

  private var hasLayouts: Bool {
    drafts.contains { $0.options?.all.contains { !$0.isDense } ?? false }
  }

  /// If no operation gains by a layout, no change can pay: with dense kernels alone, no value moves.
  private var mayGain: Bool { drafts.contains(where: \.gainsByLayout) }

  private mutating func settle() throws {
    // Every operation starts with a dense kernel. If it has none, it starts with its cheapest kernel.
    for (number, draft) in drafts.enumerated() { choice[number] = draft.firstDense }
    guard mayGain else { return }
    for (number, draft) in drafts.enumerated() {
      for (output, slot) in draft.outputs.enumerated() { makers[slot] = (number, output) }
      for (operand, slot) in draft.inputs.enumerated() where !slots[slot].isConstant {
        readers[slot, default: []].append((number, operand))
      }
    }
    for number in drafts.indices { count(number, 1) }
    // Islands may span element types with different layouts, joined by operations that convert between types. So the
    // first step tries all layouts jointly.
    let all = layouts
    if all.count > 1 { try changeIslands(to: all) }
    for layout in all { try changeIslands(to: [layout]) }
    for _ in 0..<Self.rounds where try !changeOne() { break }
  }

  /// Selects another candidate for an operation.
  private mutating func choose(_ option: Int, for number: Int) {
    guard option != choice[number] else { return }
    count(number, -1)
    choice[number] = option
    count(number, 1)
  }

  /// Adds the reads of an operation to the counts (`step` 1), or subtracts them (-1).
  private mutating func count(_ number: Int, _ step: Int) {
    let draft = drafts[number]
    for (operand, slot) in draft.inputs.enumerated() where !slots[slot].isConstant {
      let isHere = draft.device == (makers[slot].map { drafts[$0.draft].device } ?? 0)
      let layout = draft.options?.all[choice[number]].candidate.layout(ofOperand: operand) ?? .dense
      reads[slot, default: [:]][isHere ? layout : .dense, default: 0] += step
    }
  }

  private var layouts: [Layout] {
    var all: [Layout] = []
    for option in drafts.compactMap(\.options).flatMap(\.all) {
      for layout in option.candidate.gives.values where layout != .dense && !all.contains(layout) { all.append(layout) }
    }
    return all
  }

  // MARK: costs

  private func layout(of slot: Int) -> Layout {
    guard let (draft, output) = makers[slot] else { return .dense }
    return drafts[draft].options?.all[choice[draft]].candidate.layout(ofOutput: output) ?? .dense
  }

  /// Seconds to reorder a value into all other layouts in which it is read on its own device. Other devices and
  /// function results read the dense layout.
  private func moves(of slot: Int) -> Double {
    let home = makers[slot].map { drafts[$0.draft].device } ?? 0
    let own = layout(of: slot)
    var wanted = 0
    for (layout, count) in reads[slot] ?? [:] where count > 0 && layout != own { wanted += 1 }
    if results.contains(slot), own != .dense, reads[slot]?[.dense] ?? 0 == 0 { wanted += 1 }
    let bytes = 2 * Double(slots[slot].type.tensor.flatMap { own.byteCount(of: $0) } ?? 0)
    return Double(wanted) * (bytes / devices[home].profile.bandwidth + devices[home].profile.launch)
  }

  private func cost(of numbers: [Int]) -> Double {
    var touched: Set<Int> = []
    var seconds = 0.0
    for number in numbers {
      touched.formUnion(drafts[number].inputs)
      touched.formUnion(drafts[number].outputs)
      seconds += drafts[number].options?.all[choice[number]].cost ?? 0
    }
    return touched.reduce(seconds) { $0 + moves(of: $1) }
  }

  // MARK: changes

  private mutating func changeIslands(to layouts: [Layout]) throws {
    var wanted: [Int: Int] = [:]
    // Operations at which an island ends: they read one of the layouts, but do not write one of them.
    var ends: Set<Int> = []
    for number in drafts.indices {
      if let begins = first(of: number, where: { $0.gives(layouts) }), !isEnd(number, layouts) {
        wanted[number] = begins
      } else {
        wanted[number] = first(of: number) { $0.takes(layouts) && !$0.gives(layouts) }
        ends.insert(number)
      }
    }
    var seen: Set<Int> = []
    for start in drafts.indices where wanted[start] != nil && seen.insert(start).inserted {
      try Cancellation.check()
      var island: [Int] = []
      var queue = [start]
      while let number = queue.popLast() {
        island.append(number)
        let draft = drafts[number]
        let neighbours =
          draft.inputs.compactMap { makers[$0]?.draft }
          + (ends.contains(number) ? [] : draft.outputs.flatMap { (readers[$0] ?? []).map(\.draft) })
        for next in neighbours where wanted[next] != nil && seen.insert(next).inserted { queue.append(next) }
      }
      let (before, choices) = (cost(of: island), island.map { choice[$0] })
      for number in island { choose(wanted[number] ?? choice[number], for: number) }
      guard cost(of: island) >= before else { continue }
      for (number, old) in zip(island, choices) { choose(old, for: number) }
    }
  }

  private func first(of number: Int, where accepts: (Candidate) -> Bool) -> Int? {
    drafts[number].options?.all.firstIndex { accepts($0.candidate) }
  }

  /// Whether an operation ends the island of its producer, although it could also begin one. A transpose is an example:
  /// one of its kernels writes an NCHWc result from dense input, and another one reads NCHWc and writes a dense result.
  private func isEnd(_ number: Int, _ layouts: [Layout]) -> Bool {
    guard first(of: number, where: { $0.takes(layouts) && !$0.gives(layouts) }) != nil,
      first(of: number, where: { $0.takes(layouts) && $0.gives(layouts) }) == nil
    else { return false }
    return drafts[number].inputs.contains { slot in
      makers[slot].map { first(of: $0.draft, where: { $0.gives(layouts) }) != nil } ?? false
    }
  }

  /// Tries every other kernel of every operation. Returns true if one changed.
  private mutating func changeOne() throws -> Bool {
    var changed = false
    for number in drafts.indices {
      guard let all = drafts[number].options?.all, all.count > 1 else { continue }
      try Cancellation.check()
      let first = choice[number]
      var best = (choice: first, cost: cost(of: [number]))
      for other in all.indices where other != first {
        choose(other, for: number)
        let cost = cost(of: [number])
        if cost < best.cost {
          best = (other, cost)
          changed = true
        }
      }
      choose(best.choice, for: number)
    }
    return changed
  }
}

extension StepCandidates {
  /// Whether it has a kernel with a layout that is cheaper than its dense kernels, or no dense kernel.
  var gainsByLayout: Bool {
    guard let all = options?.all, let dense = all.first(where: \.isDense) else { return options != nil }
    return all.contains { !$0.isDense && $0.cost < dense.cost }
  }

  /// The index of its cheapest dense candidate; 0 if it has none.
  var firstDense: Int { options?.all.firstIndex { $0.isDense } ?? 0 }
}

extension KernelOption {
  /// Whether the kernel reads and writes only row-major memory.
  var isDense: Bool { candidate.isDense }
}

extension Candidate {
  fileprivate func gives(_ layouts: [Layout]) -> Bool { gives.values.contains(where: layouts.contains) }
  fileprivate func takes(_ layouts: [Layout]) -> Bool { takes.values.contains(where: layouts.contains) }
}
