import CoreMLBase
import MIL
import Synchronization

/// What passes and a plan hold beside weights and values. A small file may have very many operations, and a limit of memory holds for them as
/// it does for values. It is estimated, for Swift's own collections cannot be refused, and taken from the budget of the work until the plan is
/// gone.
final class PlanningMemory: Sendable {
  private struct State {
    var reserved = 0
    var pending = 0
  }

  private let budget = MemoryBudget.current
  private let state = Mutex(State())

  /// Bytes of an operation in the function and in what passes make of it.
  private static let operation = 2 << 10
  /// Bytes of an operation that is to run, and of each row that was asked for it: it has an offer or a sentence.
  private static let (draft, kernel) = (4 << 10, 1536)
  /// So many bytes are asked for at once. Less, as most models need, is not counted.
  private static let step = 1 << 20

  /// For a function that is to be planned. Blocks are planned, and added, by themselves.
  func add(_ function: Function) throws { try add(function.body.operations.count * Self.operation) }

  /// For an operation that so many rows were asked for.
  func addDraft(kernels: Int) throws { try add(Self.draft + kernels * Self.kernel) }

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
