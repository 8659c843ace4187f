import Foundation

/// Where a task stands.
public enum MLTaskState: Int, Sendable {
  /// It has not begun.
  case suspended = 1
  /// It is at work.
  case running = 2
  /// It was asked to stop and has not done so yet.
  case cancelling = 3
  /// It is done.
  case completed = 4
  /// It ended with an error, or was cancelled.
  case failed = 5
}

/// Work that goes on in the background until it is done, fails or is cancelled.
// Sendable: what changes is behind the lock
open class MLTask: NSObject, @unchecked Sendable {
  /// Differs for any two tasks.
  public let taskIdentifier = UUID().uuidString
  private let lock = NSLock()
  private var current: (state: MLTaskState, error: (any Error)?) = (.suspended, nil)

  override init() { super.init() }

  /// Where the task stands.
  open var state: MLTaskState { lock.withLock { current.state } }
  /// Why the task failed; nil unless it did.
  open var error: (any Error)? { lock.withLock { current.error } }

  /// Starts the task; one that was started before goes on as it is.
  open func resume() {
    let starts = lock.withLock {
      guard current.state == .suspended else { return false }
      current.state = .running
      return true
    }
    if starts { start() }
  }

  /// Asks the task to stop: it fails at the next mini-batch with an error that says so. One that was never started fails at once.
  open func cancel() {
    let wasSuspended: Bool? = lock.withLock {
      switch current.state {
      case .suspended, .running:
        defer { current.state = .cancelling }
        return current.state == .suspended
      case .cancelling, .completed, .failed: return nil
      }
    }
    if wasSuspended == true { start() }
  }

  /// Runs the work on a thread of its own; called once.
  func start() {}

  func finish(_ error: (any Error)?) {
    lock.withLock { current = (error == nil ? .completed : .failed, error) }
  }
}
