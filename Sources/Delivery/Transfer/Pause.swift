import Dispatch
import Synchronization

/// Waits that leave nothing behind when they are cancelled. A cancelled `Task.sleep` keeps its job until its time is over, half a kilobyte for
/// each piece of each transfer.
package enum Pause {
  /// - Throws: `CancellationError`, at once, when the task is cancelled.
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

    // Timers are not Sendable, and this one is touched by whoever holds the lock alone.
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

    /// Whoever is first, the time or a cancellation, ends it.
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

    /// At most thirty years, which is as good as for ever, and counted in nanoseconds fits an integer.
    private static func interval(_ time: Duration) -> DispatchTimeInterval {
      let (seconds, fraction) = time.components
      guard seconds < 1_000_000_000 else { return .seconds(1_000_000_000) }
      guard seconds >= 0 else { return .nanoseconds(0) }
      return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(fraction / 1_000_000_000))
    }
  }
}
