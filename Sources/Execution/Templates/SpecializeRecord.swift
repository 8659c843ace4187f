import CoreMLBase
import MIL

import class Foundation.NSLock

/// How `Specialize` gave a function its types, so that for other shapes only the operations are visited that depend on
/// what changed. Of operations that do the same, one is visited.
// Sendable: the lock guards it
final class SpecializeRecord: @unchecked Sendable {
  private let lock = NSLock()
  /// The positions in the result of what each operation became.
  private var ranges: [Range<Int>] = []
  /// The definitions of a replay are undone at its end.
  private var scope = Scope()
  private var stored = StoredConstants()
  private var recorded = Scope()
  /// The least number of bytes that could still be folded at any time.
  private var leastBudget = Int.max
  private var isRefused = false
  private var (mayReplay, quantizes) = (false, false)
  /// What is known of each operation, found when a replay meets it first.
  private var visits: [Visit?] = []
  private var groups = OperationGroups()
  private var names: [String: Int] = [:]

  func add(_ range: Range<Int>, budget: Int) {
    ranges.append(range)
    leastBudget = min(leastBudget, budget)
  }

  func finish(_ scope: Scope, _ stored: StoredConstants, quantizes: Bool) {
    (self.scope, self.stored, self.quantizes, mayReplay) = (scope, stored, quantizes, !isRefused)
    recorded = scope
    visits = Array(repeating: nil, count: ranges.count)
  }

  /// A limit of all folded results decided: another order of sizes could decide otherwise.
  func refusedByBudget() { isRefused = true }

  /// The overlay of the result, given that of the source. Nil if the structure would be another.
  func replayed(
    _ overlay: Overlay, of source: Function, in output: Function, _ pass: Specialize
  ) throws -> Overlay? {
    lock.lock()
    defer { lock.unlock() }
    guard mayReplay, ranges.count == source.body.operations.count else { return nil }
    scope.enter()
    stored.enter()
    defer {
      scope.leave()
      stored.leave()
      isRefused = false
    }
    var pass = pass
    (pass.record, pass.quantizes) = (self, quantizes)
    let uses = Uses(source)
    var walk = Walk(count: ranges.count, overlay)
    var changes = SpecializeChanges()
    for (input, known) in zip(overlay.inputs, output.inputs) where input != known {
      scope.define(input.name, input.type)
      changes.note(number(of: input.name))
      for reader in uses.readers(of: input.name) { walk.mark(reader) }
    }
    var budget = leastBudget
    while let index = walk.next() {
      try Cancellation.check()
      let visit = visit(index, source, uses, pass)
      let changed = overlay.operations[index]
      let operation = changed ?? source.body.operations[index]
      guard !operation.isConstexpr else { return nil }
      let range = ranges[index]
      if visit.isKept {
        // Only kept operations read its results.
        if let changed { walk.result.operations[range.lowerBound] = changed }
        continue
      }
      if changed == nil, let outcome = changes.outcome(of: visit) {
        budget -= outcome.foldedBytes
        guard budget >= 0 else { return nil }
        guard outcome.apply(to: operation, visit, range, in: output, &walk, &changes) else { return nil }
        continue
      }
      if let value = operation.constant, let old = output.body.operations[range.lowerBound].constant, range.count == 1 {
        guard !value.isSame(as: old) else { continue }
        walk.result.operations[range.lowerBound] = operation
        changes.define(visit.outputs[0], value.type, value)
        for reader in visit.readers[0] { walk.mark(reader) }
        continue
      }
      for (name, number) in zip(visit.operandNames, visit.operands) {
        if let (type, value) = changes.takeDefinition(of: number) { scope.define(name, type, value: value) }
      }
      var made: [Operation] = []
      try pass.add([operation], to: &made, &scope, &stored, &budget)
      guard !isRefused, made.count == range.count else { return nil }
      var outcome = SpecializeChanges.Outcome(made, visit, changes)
      for (place, (position, new)) in zip(range, made).enumerated() {
        let old = output.body.operations[position]
        guard new.identity != old.identity else { continue }
        guard new.hasStructure(of: old) else { return nil }
        guard !new.isSame(as: old) else { continue }
        walk.result.operations[position] = new
        for (number, (after, before)) in zip(new.outputs, old.outputs).enumerated()
        where after.type != before.type || old.isConst {
          let output = old.isConst ? place : number
          guard visit.outputs.indices.contains(output) else { return nil }
          outcome.outputs[output] = changes.note(visit.outputs[output])
          for reader in visit.readers[output] { walk.mark(reader) }
        }
      }
      if changed == nil { changes.add(outcome, of: visit) }
    }
    return walk.result
  }

  // MARK: operations

  /// What replays need to know of an operation of the source.
  struct Visit {
    /// Operations of one group do the same if their operands changed in the same way.
    let group: Int?
    /// Whether the pass leaves the operation as it is, whatever the sizes are.
    let isKept: Bool
    /// The names that it reads, and their numbers.
    let operandNames: [String]
    let operands: [Int]
    /// The numbers of its results' names, and the operations that read each.
    let outputs: [Int]
    let readers: [[Int]]
  }

  private func number(of name: String) -> Int {
    if let known = names[name] { return known }
    names[name] = names.count
    return names.count - 1
  }

  private func visit(_ index: Int, _ source: Function, _ uses: Uses, _ pass: Specialize) -> Visit {
    if let known = visits[index] { return known }
    let operation = source.body.operations[index]
    let operands = operation.inputs.sorted { $0.key < $1.key }.flatMap { $0.value.compactMap(\.name) }
    let visit = Visit(
      group: groups.group(of: operation, recorded, stored),
      isKept: ranges[index].count == 1 && pass.keeps(operation, recorded, stored), operandNames: operands,
      operands: operands.map(number), outputs: operation.outputs.map { number(of: $0.name) },
      readers: operation.outputs.map { uses.readers(of: $0.name) })
    visits[index] = visit
    return visit
  }

  /// The operations to visit, in order.
  struct Walk {
    private var isMarked: [Bool]
    private var at: Int
    var result: Overlay

    init(count: Int, _ overlay: Overlay) {
      isMarked = Array(repeating: false, count: count)
      at = count
      result = Overlay(inputs: overlay.inputs)
      for index in overlay.operations.keys { mark(index) }
    }

    mutating func mark(_ index: Int) {
      isMarked[index] = true
      at = min(at, index)
    }

    mutating func next() -> Int? {
      while at < isMarked.count, !isMarked[at] { at += 1 }
      guard at < isMarked.count else { return nil }
      isMarked[at] = false
      return at
    }
  }
}
