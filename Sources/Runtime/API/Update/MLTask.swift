import Foundation

/// The state of a task.
public enum MLTaskState: Int, Sendable {
  /// Not started.
  case suspended = 1
  /// Running.
  case running = 2
  /// Cancelled, but not stopped yet.
  case cancelling = 3
  /// Finished successfully.
  case completed = 4
  /// Failed or cancelled.
  case failed = 5
}

/// Work that runs in the background until it completes, fails or is cancelled.
// Sendable: a lock guards the mutable state
open class MLTask: NSObject, @unchecked Sendable {
  /// A unique identifier of the task.
  public let taskIdentifier = UUID().uuidString
  private let lock = NSLock()
  private var current: (state: MLTaskState, error: (any Error)?) = (.suspended, nil)

  override init() { super.init() }

  /// The state of the task.
  open var state: MLTaskState { lock.withLock { current.state } }
  /// The error of a failed task; nil otherwise.
  open var error: (any Error)? { lock.withLock { current.error } }

  /// Starts the task. Has no effect if the task was started before.
  open func resume() {
    let starts = lock.withLock {
      guard current.state == .suspended else { return false }
      current.state = .running
      return true
    }
    if starts { start() }
  }

  /// Cancels the task. It fails with a cancellation error before the next mini-batch. A task that was never started
  /// fails at once.
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

  /// Runs the work on its own thread. Called once.
  func start() {}

  func finish(_ error: (any Error)?) {
    lock.withLock { current = (error == nil ? .completed : .failed, error) }
  }
}
