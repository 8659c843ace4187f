import CoreMLBase
import MIL

import class Foundation.NSLock

/// How `Specialize` gave a function its types, so that for other shapes only the operations are visited that depend on
/// what changed.
// Sendable: the lock guards it
final class SpecializeRecord: @unchecked Sendable {
  private let lock = NSLock()
  /// The positions in the result of what each operation became.
  private var ranges: [Range<Int>] = []
  private var scope = Scope()
  private var stored = StoredConstants()
  /// The least number of bytes that could still be folded at any time.
  private var leastBudget = Int.max
  private var isRefused = false
  private var (mayReplay, quantizes) = (false, false)

  func add(_ range: Range<Int>, budget: Int) {
    ranges.append(range)
    leastBudget = min(leastBudget, budget)
  }

  func finish(_ scope: Scope, _ stored: StoredConstants, quantizes: Bool) {
    (self.scope, self.stored, self.quantizes, mayReplay) = (scope, stored, quantizes, !isRefused)
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
    // What is defined here is undone at the end.
    scope.enter()
    stored.enter()
    defer {
      scope.leave()
      stored.leave()
      isRefused = false
    }
    var pass = pass
    (pass.record, pass.quantizes) = (self, quantizes)
    var walk = Walk(source, overlay)
    for (input, known) in zip(overlay.inputs, output.inputs) where input != known {
      scope.define(input.name, input.type)
      walk.readersChange(input.name)
    }
    var budget = leastBudget
    while let index = walk.next() {
      try Cancellation.check()
      let operation = overlay.operations[index] ?? source.body.operations[index]
      guard !operation.isConstexpr else { return nil }
      var made: [Operation] = []
      try pass.add([operation], to: &made, &scope, &stored, &budget)
      let range = ranges[index]
      guard !isRefused, made.count == range.count else { return nil }
      for (position, new) in zip(range, made) {
        let old = output.body.operations[position]
        guard new.identity != old.identity else { continue }
        guard new.hasStructure(of: old) else { return nil }
        guard !new.isSame(as: old) else { continue }
        walk.result.operations[position] = new
        let isSameConstant = old.isConst && new.isSameConstant(as: old)
        for (after, before) in zip(new.outputs, old.outputs) where after.type != before.type || old.isConst {
          if !isSameConstant { walk.readersChange(after.name) }
        }
      }
    }
    return walk.result
  }

  /// The operations to visit, in order.
  private struct Walk {
    private let uses: Uses
    private var isMarked: [Bool]
    private var at: Int
    var result: Overlay

    init(_ source: Function, _ overlay: Overlay) {
      uses = Uses(source)
      isMarked = Array(repeating: false, count: source.body.operations.count)
      at = isMarked.count
      result = Overlay(inputs: overlay.inputs)
      for index in overlay.operations.keys { mark(index) }
    }

    private mutating func mark(_ index: Int) {
      isMarked[index] = true
      at = min(at, index)
    }

    mutating func readersChange(_ name: String) {
      for reader in uses.readers(of: name) { mark(reader) }
    }

    mutating func next() -> Int? {
      while at < isMarked.count, !isMarked[at] { at += 1 }
      guard at < isMarked.count else { return nil }
      isMarked[at] = false
      return at
    }
  }
}

extension Operation {
  /// Whether two operations of the same structure have the same types and literals.
  func isSame(as other: Operation) -> Bool {
    zip(outputs, other.outputs).allSatisfy { $0.type == $1.type }
      && inputs.allSatisfy { parameter, bindings in
        zip(bindings, other.inputs[parameter] ?? []).allSatisfy { $0.isSameLiteral(as: $1) }
      }
  }

  fileprivate func isSameConstant(as other: Operation) -> Bool {
    guard let value = constant, let known = other.constant else { return false }
    return value.isSame(as: known)
  }
}

extension Binding {
  fileprivate func isSameLiteral(as other: Binding) -> Bool {
    guard case .literal(let a) = self, case .literal(let b) = other else { return true }
    if case .tensor(let first) = a, case .tensor(let second) = b, first.storage === second.storage,
      first.shape == second.shape
    {
      return true
    }
    return a.isSame(as: b)
  }
}
