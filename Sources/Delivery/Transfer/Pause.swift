import Dispatch
import Synchronization

/// Cancellable waits that free their resources at once. A cancelled `Task.sleep` keeps about half a kilobyte per call
/// until its time expires, which adds up over the chunks of all transfers.
package enum Pause {
  /// - Throws: `CancellationError` immediately when the task is cancelled.
  package static func wait(_ time: Duration) async throws {
    let alarm = Alarm()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { alarm.start($0, after: time) }
    } onCancel: {
      alarm.end(.failure(CancellationError()))
    }
  }

  private final class Alarm: Sendable {
    private enum State {
      case new
      case waiting(CheckedContinuation<Void, any Error>, any DispatchSourceTimer)
      case over(Result<Void, any Error>)
    }

    // Sendable: `DispatchSourceTimer` is not Sendable, but this timer is accessed only while holding the lock.
    private struct Box: @unchecked Sendable {
      var state = State.new
    }

    private let box = Mutex(Box())

    func start(_ continuation: CheckedContinuation<Void, any Error>, after time: Duration) {
      let early = box.withLock { box -> Result<Void, any Error>? in
        if case .over(let result) = box.state { return result }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + Self.interval(time))
        timer.setEventHandler { self.end(.success(())) }
        timer.activate()
        box.state = .waiting(continuation, timer)
        return nil
      }
      if let early { continuation.resume(with: early) }
    }

    /// Called on timeout and on cancellation; the first call ends the wait.
    func end(_ result: Result<Void, any Error>) {
      let waiting = box.withLock { box -> CheckedContinuation<Void, any Error>? in
        switch box.state {
        case .new:
          box.state = .over(result)
          return nil
        case .waiting(let continuation, let timer):
          timer.cancel()
          box.state = .over(result)
          return continuation
        case .over: return nil
        }
      }
      waiting?.resume(with: result)
    }

    /// Limited to about 30 years, so that the nanoseconds fit an `Int`.
    private static func interval(_ time: Duration) -> DispatchTimeInterval {
      let (seconds, fraction) = time.components
      guard seconds < 1_000_000_000 else { return .seconds(1_000_000_000) }
      guard seconds >= 0 else { return .nanoseconds(0) }
      return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(fraction / 1_000_000_000))
    }
  }
}
