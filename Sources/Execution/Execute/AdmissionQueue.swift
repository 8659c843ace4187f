import CoreMLBase
import Dispatch
import MIL

import class Foundation.NSLock

/// A FIFO queue of threads that wait for a resource. Only the first waiter checks whether the resource is available,
/// and only it is woken.
///
/// All functions must be called with the owner's lock held.
struct AdmissionQueue {
  fileprivate final class Waiter: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
  }

  fileprivate var waiters: [Waiter] = []

  var isEmpty: Bool { waiters.isEmpty }
  var count: Int { waiters.count }

  /// Wakes the first waiter, since the resource may be available.
  func wake() { waiters.first?.semaphore.signal() }

  /// Waits until `isThere` holds and all earlier waiters have left. The lock is released while the thread sleeps.
  ///
  /// - Parameters:
  ///   - line: The queue in its owner. Other threads change it during the wait.
  ///   - shouldStop: Polled in addition to the thread's cancellation.
  /// - Throws: `RuntimeError` of code `.cancelled`.
  static func wait<Owner: AnyObject>(
    in line: ReferenceWritableKeyPath<Owner, AdmissionQueue>, of owner: Owner, _ lock: NSLock,
    _ shouldStop: (() -> Bool)?, until isThere: () -> Bool
  ) throws {
    guard !owner[keyPath: line].isEmpty || !isThere() else { return }
    let cancellation = Cancellation.current
    let waiter = Waiter()
    owner[keyPath: line].waiters.append(waiter)
    defer {
      owner[keyPath: line].waiters.removeAll { $0 === waiter }
      // The resource may suffice for the next waiter too.
      owner[keyPath: line].wake()
    }
    func stand() throws {
      while owner[keyPath: line].waiters.first !== waiter || !isThere() {
        lock.unlock()
        let isStopped = cancellation?.isCancelled == true || shouldStop?() == true
        if !isStopped { waiter.sleep(cancellation?.patience, asks: shouldStop != nil) }
        lock.lock()
        guard isStopped else { continue }
        throw RuntimeError(.cancelled, "the prediction was stopped while it waited for others of its model")
      }
    }
    guard let cancellation else { return try stand() }
    try cancellation.telling({ waiter.semaphore.signal() }, stand)
  }
}

extension AdmissionQueue.Waiter {
  /// Sleeps until the semaphore is signaled, or until it is time to poll again.
  fileprivate func sleep(_ patience: Duration?, asks: Bool) {
    guard let longest = [patience, asks ? Cancellation.pause : nil].compactMap({ $0 }).min() else {
      return semaphore.wait()
    }
    _ = semaphore.wait(timeout: .now() + longest / .seconds(1))
  }
}
