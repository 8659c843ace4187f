import CoreMLServingInterface
import Synchronization

/// The sequences of one version of a model, by id.
///
/// A sequence begins with a request that says so, and ends with one, or when it has been idle for too long.
final class SequenceTable: Sendable {
  private struct Entry {
    var state: SequenceState
    var lastUsed: ContinuousClock.Instant
    /// The requests that wait or run.
    var inUse = 0
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let makeState: @Sendable () -> SequenceState
  private let idleLimit: Duration
  private let maximumCount: Int

  init(
    idleLimit: Duration = .seconds(60), maximumCount: Int = 1_000, makeState: @escaping @Sendable () -> SequenceState
  ) {
    (self.idleLimit, self.maximumCount, self.makeState) = (idleLimit, maximumCount, makeState)
  }

  var isEmpty: Bool { entries.withLock(\.isEmpty) }

  func contains(_ id: String) -> Bool { entries.withLock { $0[id] != nil } }

  /// The state for a request. The caller calls `finish` when the request has ended.
  func begin(_ step: SequenceStep, now: ContinuousClock.Instant) throws(ServingError) -> SequenceState {
    let result: Result<SequenceState, ServingError> = entries.withLock { entries in
      expire(&entries, now)
      if step.isStart {
        guard entries[step.id] != nil || entries.count < maximumCount else {
          return .failure(
            ServingError(
              .exhausted, "The model has \(entries.count) sequences, which is its limit.", retryAfter: idleLimit))
        }
        let inUse = entries[step.id]?.inUse ?? 0
        entries[step.id] = Entry(state: makeState(), lastUsed: now, inUse: inUse)
      }
      guard var entry = entries[step.id] else {
        return .failure(
          ServingError(
            .invalidArgument,
            "The sequence '\(step.id)' does not exist: its first request must have 'sequence_start', and it ends after \(Int(idleLimit.inSeconds)) idle seconds."
          ))
      }
      entry.inUse += 1
      entry.lastUsed = now
      entries[step.id] = entry
      return .success(entry.state)
    }
    return try result.get()
  }

  /// - Parameter hasRun: whether the request may have changed the state. A refused request leaves the sequence as it was.
  func finish(_ step: SequenceStep, _ state: SequenceState, hasRun: Bool, now: ContinuousClock.Instant) {
    entries.withLock { entries in
      guard var entry = entries[step.id] else { return }
      entry.inUse -= 1
      entry.lastUsed = now
      // A later start may have replaced the state.
      let isOver = entry.state === state && (hasRun ? step.isEnd : step.isStart)
      entries[step.id] = isOver ? nil : entry
    }
  }

  func expire(now: ContinuousClock.Instant) { entries.withLock { expire(&$0, now) } }

  private func expire(_ entries: inout [String: Entry], _ now: ContinuousClock.Instant) {
    guard entries.contains(where: { isIdle($0.value, now) }) else { return }
    entries = entries.filter { !isIdle($0.value, now) }
  }

  private func isIdle(_ entry: Entry, _ now: ContinuousClock.Instant) -> Bool {
    entry.inUse == 0 && now - entry.lastUsed >= idleLimit
  }
}
