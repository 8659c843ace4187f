import CoreMLRuntime
import Foundation

/// Passes events of a training from its own thread to the thread that waits for the training.
// Sendable: the mutable state is behind the condition
final class Relay: @unchecked Sendable {
  private let condition = NSCondition()
  private var told: MLUpdateContext?
  private var answered = false
  private var ended: MLUpdateContext?
  private var current: MLUpdateContext?

  /// The current context: in a callback that of its event, after the training that of the end.
  var context: MLUpdateContext? { condition.withLock { current } }

  /// Called by the training. Returns when the waiting thread has handled the event.
  func tell(_ context: MLUpdateContext) {
    condition.withLock {
      (told, current, answered) = (context, context, false)
      condition.broadcast()
      while !answered { condition.wait() }
    }
  }

  /// Called by the training, last.
  func end(_ context: MLUpdateContext) {
    condition.withLock {
      (ended, current) = (context, context.task.error == nil ? context : nil)
      condition.broadcast()
    }
  }

  /// Waits for the end, and calls `look` for every event until then.
  func wait(_ look: (MLUpdateContext) -> Void) -> MLUpdateContext {
    while true {
      let next: (event: MLUpdateContext?, end: MLUpdateContext?) = condition.withLock {
        while told == nil, ended == nil { condition.wait() }
        return (told, ended)
      }
      if let event = next.event {
        look(event)
        condition.withLock {
          (told, current, answered) = (nil, nil, true)
          condition.broadcast()
        }
      } else if let end = next.end {
        return end
      }
    }
  }
}
