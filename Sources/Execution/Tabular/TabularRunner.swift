import CoreMLBase
import CoreMLKernels
import Foundation
import MIL

/// Runs a function with a numeric (`TabularSignature`) interface, for one row with minimal overhead, or for many rows
/// at once. The engine runs functions that it does not support, and rows on which it fails.
package final class TabularRunner: @unchecked Sendable {  // mutable state is behind the lock
  package let inputs: [TabularInput]
  package let outputs: [TabularOutput]
  /// Output types of one row.
  package let outputTypes: [TensorType]
  private let form: TabularSignature
  /// With concrete types.
  private let function: Function
  private let engine: TabularPlanning
  private let lock = NSLock()
  private var plans: [Int: Plan?] = [:]
  /// By the number of rows. There are only a few different ones.
  private var idle: [(rows: Int, sessions: [TabularSession])] = []
  private var running = 0

  /// The memory limits for one row and for many. A function that needs more runs in the sessions that all predictions
  /// share.
  private static let most = 1 << 20
  private static let mostOfMany = 64 << 20

  /// Nil if the function has no such signature, or has steps other than kernels.
  ///
  /// - Throws: If the work was cancelled or ran out of memory before this was determined.
  init?(_ source: Function, _ engine: TabularPlanning) throws {
    guard let form = TabularSignature(source) else { return nil }
    let planned = try unlessRefused { () -> (function: Function, plan: Plan) in
      let function = try engine.specialised(form.function)
      return (function, try engine.plan(function))
    }
    guard let (function, plan) = planned, plan.isOfKernels(within: Self.most) else { return nil }
    (self.form, self.function, self.engine) = (form, function, engine)
    (inputs, outputs) = (form.inputs, form.outputs)
    outputTypes = plan.outputs.compactMap { plan.slots[$0.slot].type.tensor }
    guard outputTypes.count == plan.outputs.count, outputTypes.allSatisfy(\.isConcrete) else { return nil }
    plans[1] = plan
  }

  /// A session for this number of rows, for exclusive use until `give`. Nil if it cannot be created, or if the session
  /// limit is reached.
  package func session(rows: Int) -> TabularSession? {
    let (kept, isAllowed) = lock.withLock { () -> (TabularSession?, Bool) in
      guard running < engine.sessionLimit else { return (nil, false) }
      running += 1
      return (idle.firstIndex { $0.rows == rows }.flatMap { idle[$0].sessions.popLast() }, true)
    }
    guard isAllowed else { return nil }
    if let kept { return kept }
    do {
      if let plan = try plan(rows: rows) {
        return try engine.budget.during { try TabularSession(plan, form, rows: rows) }
      }
    } catch {}
    give(nil)
    return nil
  }

  /// Returns a session. Pass nil for one that failed.
  package func give(_ session: TabularSession?) {
    lock.lock()
    running -= 1
    if let session {
      if let place = idle.firstIndex(where: { $0.rows == session.rows }) {
        if idle[place].sessions.count < 2 * engine.processors { idle[place].sessions.append(session) }
      } else {
        idle.append((session.rows, [session]))
      }
    }
    lock.unlock()
  }

  func dropIdle() {
    let dropped = lock.withLock {
      defer { idle = [] }
      return idle
    }
    withExtendedLifetime(dropped) {}
  }

  private func plan(rows: Int) throws -> Plan? {
    if let known = lock.withLock({ plans[rows] }) { return known }
    let made = try unlessRefused {
      try engine.budget.during {
        try engine.plan(engine.specialised(function.after(AddBatchAxis(rows: rows))))
      }
    }
    let plan = made.flatMap { $0.isOfKernels(within: Self.mostOfMany) ? $0 : nil }
    lock.withLock { plans[rows] = .some(plan) }
    return plan
  }
}

/// The parts of an engine that tabular sessions need.
struct TabularPlanning: Sendable {
  let planner: Planner
  let budget: MemoryBudget
  let sessionLimit: Int
  let processors: Int
  let pool: ThreadPool
  let weights: WeightStore
  let recognisesLoops: Bool

  func specialised(_ function: Function) throws -> Function {
    try function.after(Specialize(pool: pool, recognisesLoops: recognisesLoops, weights: weights))
  }

  func plan(_ function: Function) throws -> Plan { try planner.plan(function, outputNames: function.body.outputs) }
}
