import CoreMLKernels
import MIL

import class Foundation.NSLock

/// A `while_loop` or `cond` of a plan. Its blocks are planned once for each combination of types at run time, and the
/// plans are cached. All sessions of the plan share it.
package final class ControlFlow: @unchecked Sendable {  // mutable state is behind the lock
  /// The plans of a loop for given types of its variables.
  final class Loop: Sendable {
    let condition: BlockPlan
    let body: BlockPlan

    init(condition: BlockPlan, body: BlockPlan) { (self.condition, self.body) = (condition, body) }
  }

  /// Types of the inputs, and of captured values whose shape is only known at run time.
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
  /// Nil for types for which no plan can be made.
  private var loops: [Key: Loop?] = [:]
  private var branches: [Key: [BlockPlan]?] = [:]
  private var plansMade = 0
  /// Dense versions of stored constants, for evaluation without a plan.
  private var decoded: [String: Value] = [:]

  /// The number of plans to keep. For further types, the interpreter evaluates the operation.
  private static let maximumPlans = 8

  /// Nil if the blocks cannot be planned at all.
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

  /// The number of sets of plans made so far.
  package var made: Int { lock.withLock { plansMade } }

  /// The plans of the blocks with display names. If there are plans for several types, one of them.
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

  /// The captured values by name, for evaluation without a plan. `values` lacks stored constants.
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

  /// The plans of a loop for variables of these types; nil if none can be made.
  func loop(_ variables: [ValueType], _ outer: [ValueType]) throws -> Loop? {
    let types = zip(variables, operation.blocks[1].inputs).map { $0.0.planning($0.1.type) }
    let key = Key(inputs: types, captured: outer)
    return try kept(key, \.loops) {
      let captured = typed(outer)
      return Loop(
        // The condition reads the variables in the memory of the body.
        condition: try BlockPlan.make(
          operation.blocks[0], inputs: types, captured: captured, states: states, inPlace: true, planner: planner),
        body: try BlockPlan.make(
          operation.blocks[1], inputs: types, captured: captured, states: states, inPlace: false, planner: planner))
    }
  }

  /// The plans of both branches; nil if none can be made.
  func branches(_ outer: [ValueType]) throws -> [BlockPlan]? {
    try kept(Key(inputs: [], captured: outer), \.branches) {
      let captured = typed(outer)
      return try operation.blocks.map {
        try BlockPlan.make($0, inputs: [], captured: captured, states: states, inPlace: true, planner: planner)
      }
    }
  }

  /// Makes the plans in advance if all types are known.
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
    // If no plan can be made, the interpreter runs the operation and reports any error. A shortage of memory is not
    // remembered, so planning is tried again next time.
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

  /// The type for which a block with the parameter type `declared` is planned. A list may grow, and its element type
  /// may change.
  fileprivate func planning(_ declared: ValueType) -> ValueType {
    guard case .list(let element, _) = self else { return self }
    if case .list(let other, _) = declared { return .list(other, length: .unknown) }
    return .list(element, length: .unknown)
  }
}
