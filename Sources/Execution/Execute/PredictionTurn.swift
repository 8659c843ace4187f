import CoreMLBase
import Dispatch
import Synchronization

/// The right to run one prediction of a model, for a caller that waited for it without a thread.
///
/// The first prediction of the model during `run` uses the turn. Without one, the turn ends with `run`.
package final class PredictionTurn: Sendable {
  private let pool: SessionPool
  private let isUsed = Atomic(false)

  init(_ pool: SessionPool) { self.pool = pool }

  @TaskLocal static var current: PredictionTurn?

  /// Runs `body` with the turn. To be called once.
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer { giveUp() }
    return try Self.$current.withValue(self, operation: body)
  }

  /// Ends a turn that nothing has used.
  func giveUp() {
    if !isUsed.exchange(true, ordering: .acquiringAndReleasing) { pool.endTurn() }
  }

  /// Whether the caller may run a prediction of the pool with this turn; true at most once.
  func use(for pool: SessionPool) -> Bool {
    pool === self.pool && !isUsed.exchange(true, ordering: .acquiringAndReleasing)
  }
}

extension Engine {
  /// Waits until a prediction may run, first come, first served. No thread waits.
  ///
  /// - Parameter cancellation: ends the wait, also by its time limit. A caller that cancels it wakes the waiter.
  /// - Throws: `RuntimeError` of code `.cancelled`.
  package func turn(_ cancellation: Cancellation) async throws -> PredictionTurn {
    try await sessions.turn(cancellation)
  }
}

extension SessionPool {
  fileprivate func turn(_ cancellation: Cancellation) async throws -> PredictionTurn {
    let wait = TurnWait(self)
    return try await cancellation.tellingTask({ wait.stop() }) {
      try await withCheckedThrowingContinuation { wait.begin($0, cancellation) }
    }
  }
}

/// The wait of one task for its turn. Exactly one of admission and stop resumes it.
private final class TurnWait: Sendable {
  private enum State {
    case new, over
    case waiting(CheckedContinuation<PredictionTurn, any Error>, AdmissionQueue.Waiter?)
  }

  private let pool: SessionPool
  private let state = Mutex(State.new)

  init(_ pool: SessionPool) { self.pool = pool }

  func begin(_ continuation: CheckedContinuation<PredictionTurn, any Error>, _ cancellation: Cancellation) {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(continuation, nil)
      return false
    }
    guard !isOver, !cancellation.isCancelled else {
      if isOver { continuation.resume(throwing: AdmissionQueue.stopped) } else { stop() }
      return
    }
    let waiter = AdmissionQueue.Waiter { [self] in admit() }
    state.withLock { state in
      if case .waiting(let continuation, _) = state { state = .waiting(continuation, waiter) }
    }
    pool.enqueue(waiter)
    watch(cancellation)
  }

  /// Stops the wait at the time limit, and where a cancellation cannot call.
  private func watch(_ cancellation: Cancellation) {
    guard let patience = cancellation.patience, !isOver else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience / .seconds(1)) { [weak self] in
      if cancellation.isCancelled { self?.stop() } else { self?.watch(cancellation) }
    }
  }

  private var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

  /// Called with a turn, perhaps with the lock of the pool held.
  private func admit() {
    let continuation = end()?.continuation
    guard let continuation else {
      // Stopped at the same moment: the turn passes on, after the pool's lock is free.
      return DispatchQueue.global().async { [pool] in pool.endTurn() }
    }
    continuation.resume(returning: PredictionTurn(pool))
  }

  func stop() {
    guard let (continuation, waiter) = end() else { return }
    if let waiter { pool.dequeue(waiter) }
    continuation?.resume(throwing: AdmissionQueue.stopped)
  }

  /// Ends the wait; nil if it is over already.
  private func end() -> (continuation: CheckedContinuation<PredictionTurn, any Error>?, waiter: AdmissionQueue.Waiter?)?
  {
    state.withLock { state in
      defer { state = .over }
      switch state {
      case .new: return (nil, nil)
      case .over: return nil
      case .waiting(let continuation, let waiter): return (continuation, waiter)
      }
    }
  }
}
