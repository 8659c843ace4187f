import Synchronization

/// Runs work once for all concurrent callers.
///
/// A cancelled caller stops waiting, and the work goes on for the others. When the last caller is cancelled, the work
/// is cancelled, and that caller waits for its end. Later callers start new work, which begins after the cancelled work
/// has ended.
final class SharedWork<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value, any Error>

  private struct Run {
    let task: Task<Void, Never>
    var waiters: [Int: Waiter]
    var isCancelled = false
  }

  private struct State {
    var runs: [Int: Run] = [:]
    /// The run that callers can join, or the newest cancelled run.
    var newest: Int?
    /// Tickets of callers that were cancelled before they began to wait.
    var cancelled: Set<Int> = []
    var next = 0

    mutating func number() -> Int {
      next += 1
      return next
    }
  }

  private let state = Mutex(State())

  /// Returns the result of the current run, or of a new run of `work`.
  func value(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let ticket = state.withLock { $0.number() }
    defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { join(ticket, $0, work) }
    } onCancel: {
      cancel(ticket)
    }
  }

  private func join(_ ticket: Int, _ waiter: Waiter, _ work: @escaping @Sendable () async throws -> Value) {
    let isRefused = state.withLock { state in
      if state.cancelled.contains(ticket) { return true }
      if let newest = state.newest, state.runs[newest]?.isCancelled == false {
        state.runs[newest]?.waiters[ticket] = waiter
        return false
      }
      let (run, before) = (state.number(), state.newest.flatMap { state.runs[$0]?.task })
      let task = Task {
        await before?.value
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        finish(run, result)
      }
      state.runs[run] = Run(task: task, waiters: [ticket: waiter])
      state.newest = run
      return false
    }
    if isRefused { waiter.resume(throwing: CancellationError()) }
  }

  private func finish(_ run: Int, _ result: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      if state.newest == run { state.newest = nil }
      return state.runs.removeValue(forKey: run)?.waiters ?? [:]
    }
    for waiter in waiters.values { waiter.resume(with: result) }
  }

  private func cancel(_ ticket: Int) {
    let (left, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
      guard let run = state.runs.first(where: { $0.value.waiters[ticket] != nil })?.key else {
        state.cancelled.insert(ticket)
        return (nil, nil)
      }
      if state.runs[run]?.waiters.count == 1 {
        state.runs[run]?.isCancelled = true
        return (nil, state.runs[run]?.task)
      }
      return (state.runs[run]?.waiters.removeValue(forKey: ticket), nil)
    }
    left?.resume(throwing: CancellationError())
    task?.cancel()
  }
}
