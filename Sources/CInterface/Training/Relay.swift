import CoreMLRuntime
import Foundation

/// Brings what a training tells, on its own thread, to the thread that waits for it.
// Sendable: what changes is behind the condition
final class Relay: @unchecked Sendable {
  private let condition = NSCondition()
  private var told: MLUpdateContext?
  private var answered = false
  private var ended: MLUpdateContext?
  private var current: MLUpdateContext?

  /// What is known of the model: in a callback that moment's, afterwards the training's.
  var context: MLUpdateContext? { condition.withLock { current } }

  /// Called by the training; returns when the waiting thread has looked at it.
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

  /// Waits for the end; `look` sees every event meanwhile.
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
