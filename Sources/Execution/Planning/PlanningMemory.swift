import CoreMLBase
import MIL
import Synchronization

/// Reserves the memory that passes and a plan need in addition to weights and values. A small file may contain very
/// many operations, so the memory limit must cover them, too. An allocation by Swift's collections cannot fail
/// gracefully. So the amount is estimated and reserved from the budget in advance, until the plan is released.
final class PlanningMemory: Sendable {
  private struct State {
    var reserved = 0
    var pending = 0
  }

  private let budget = MemoryBudget.current
  private let state = Mutex(State())

  /// Bytes per operation, in the function and in the functions that passes create from it.
  private static let operation = 2 << 10
  /// Bytes per operation that becomes a step, and per kernel that was tried for it. Each kernel leaves a candidate or a
  /// refusal.
  private static let (draft, kernel) = (4 << 10, 1536)
  /// The granularity of reservations in bytes. Smaller amounts, which suffice for most models, are not counted.
  private static let step = 1 << 20

  /// Reserves memory for a function that is to be planned. Blocks are planned and added separately.
  func add(_ function: Function) throws { try add(function.body.operations.count * Self.operation) }

  /// Reserves memory for an operation for which `kernels` kernels were tried.
  func addDraft(kernels: Int) throws { try add(Self.draft + kernels * Self.kernel) }

  /// Reserves memory for the steps that an instance of a template does not share with it.
  func add(affected steps: Int) throws { try add(steps * Self.draft) }

  private func add(_ bytes: Int) throws {
    try state.withLock { state in
      state.pending += bytes
      guard state.pending >= Self.step else { return }
      try budget.reserve(state.pending, for: "planning the model's operations")
      (state.reserved, state.pending) = (state.reserved + state.pending, 0)
    }
  }

  deinit { budget.release(state.withLock { $0.reserved }) }
}
