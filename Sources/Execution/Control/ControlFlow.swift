import CoreMLKernels
import MIL

import class Foundation.NSLock

/// A `while_loop` or a `cond` of a plan: its blocks are planned once for the types that they meet, and kept by those. Shared by all sessions
/// of the plan.
package final class ControlFlow: @unchecked Sendable {  // mutable state is behind the lock
  /// The plans of a loop for certain types of its variables.
  final class Loop: Sendable {
    let condition: BlockPlan
    let body: BlockPlan

    init(condition: BlockPlan, body: BlockPlan) { (self.condition, self.body) = (condition, body) }
  }

  /// Types of the inputs, and of what only run time shapes around the blocks.
  struct Key: Hashable {
    let inputs: [ValueType]
    let captured: [ValueType]
  }

  let operation: Operation
  let captured: [BlockPlan.Captured]
  /// The states that its blocks may read and write.
  private let states: [NamedType]
  private let planner: Planner
  private let lock = NSLock()
  /// Nil for types that no plan can be made for.
  private var loops: [Key: Loop?] = [:]
  private var branches: [Key: [BlockPlan]?] = [:]
  private var plansMade = 0
  /// Stored constants that values are computed from without a plan, dense.
  private var decoded: [String: Value] = [:]

  /// Plans kept; beyond, values are computed without one.
  private static let maximumPlans = 8

  /// Nil for blocks that cannot be planned at all.
  init?(_ operation: Operation, captured: [BlockPlan.Captured], states: [NamedType], planner: Planner) {
    guard operation.blocks.count == 2 else { return nil }
    if operation.type == "while_loop" {
      let count = operation.inputs["loop_vars"]?.count ?? 0
      guard operation.blocks.allSatisfy({ $0.inputs.count == count }), operation.blocks[0].outputs.count == 1,
        operation.blocks[1].outputs.count == count
      else { return nil }
    }
    self.operation = operation
    self.captured = captured
    self.states = states
    self.planner = planner
  }

  /// Sets of plans that were made so far.
  package var made: Int { lock.withLock { plansMade } }

  /// The blocks' plans, those made first in front, by what they are: for people.
  package var plans: [(name: String, plan: Plan)] {
    lock.withLock {
      if let loop = loops.values.compactMap({ $0 }).first {
        return [("condition", loop.condition.plan), ("body", loop.body.plan)]
      }
      return (branches.values.compactMap { $0 }.first ?? []).enumerated().map {
        ($0.offset == 0 ? "true" : "false", $0.element.plan)
      }
    }
  }

  /// What blocks read from around them, for who runs them without a plan. `values` lacks what is stored.
  func names(_ values: [Value?]) throws -> [String: Value] {
    var names: [String: Value] = [:]
    for (captured, value) in zip(captured, values) {
      if let known = value ?? captured.literal ?? lock.withLock({ decoded[captured.name] }) {
        names[captured.name] = known
      } else if let weight = captured.weight {
        let dense = Value.tensor(try planner.weights.dense(weight))
        lock.withLock { decoded[captured.name] = dense }
        names[captured.name] = dense
      }
    }
    return names
  }

  // MARK: plans

  /// A loop's plans for variables of these types; nil where none can be made.
  func loop(_ variables: [ValueType], _ outer: [ValueType]) throws -> Loop? {
    let types = zip(variables, operation.blocks[1].inputs).map { $0.0.planning($0.1.type) }
    let key = Key(inputs: types, captured: outer)
    return try kept(key, \.loops) {
      let captured = typed(outer)
      return Loop(
        // The condition reads the variables where the body has them.
        condition: try BlockPlan.make(
          operation.blocks[0], inputs: types, captured: captured, states: states, inPlace: true, planner: planner),
        body: try BlockPlan.make(
          operation.blocks[1], inputs: types, captured: captured, states: states, inPlace: false, planner: planner))
    }
  }

  /// The plans of both branches; nil where none can be made.
  func branches(_ outer: [ValueType]) throws -> [BlockPlan]? {
    try kept(Key(inputs: [], captured: outer), \.branches) {
      let captured = typed(outer)
      return try operation.blocks.map {
        try BlockPlan.make($0, inputs: [], captured: captured, states: states, inPlace: true, planner: planner)
      }
    }
  }

  /// Makes the plans for types that are known before a run, when they are.
  func prepare(inputs: [ValueType]) throws {
    let outer = captured.filter { !$0.isConstant }.map(\.type)
    guard outer.allSatisfy(\.isPlanned), inputs.allSatisfy(\.isPlannedOrList) else { return }
    if operation.type == "while_loop" { _ = try loop(inputs, outer) } else { _ = try branches(outer) }
  }

  private func typed(_ outer: [ValueType]) -> [BlockPlan.Captured] {
    var next = outer.makeIterator()
    return captured.map {
      guard !$0.isConstant else { return $0 }
      let type = (next.next() ?? $0.type).planning($0.type)
      return BlockPlan.Captured(name: $0.name, literal: nil, weight: nil, type: type)
    }
  }

  private func kept<Plans>(
    _ key: Key, _ store: ReferenceWritableKeyPath<ControlFlow, [Key: Plans?]>, _ make: () throws -> Plans
  ) throws -> Plans? {
    if let known = lock.withLock({ self[keyPath: store][key] }) { return known }
    guard lock.withLock({ self[keyPath: store].count < Self.maximumPlans }) else { return nil }
    // What cannot be planned is run all the same, without a plan, and says there what is wrong with it. So is what there is too little
    // memory for just now, which is tried again the next time.
    let made: Plans?
    do { made = try unlessRefused(make) } catch {
      guard error.isShortage else { throw error }
      return nil
    }
    return lock.withLock {
      if let known = self[keyPath: store][key] { return known }
      self[keyPath: store][key] = .some(made)
      plansMade += made == nil ? 0 : 1
      return made
    }
  }
}

extension ValueType {
  fileprivate var isPlannedOrList: Bool {
    if case .list = self { return true }
    return isPlanned
  }

  /// The type of a value as a block that takes `declared` is planned for it: a list may become longer and its elements others.
  fileprivate func planning(_ declared: ValueType) -> ValueType {
    guard case .list(let element, _) = self else { return self }
    if case .list(let other, _) = declared { return .list(other, length: .unknown) }
    return .list(element, length: .unknown)
  }
}
