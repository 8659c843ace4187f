import CoreMLBase
import Dispatch
import MIL

import class Foundation.NSLock

/// Those who wait for one thing, first come, first served: only who stands in front looks whether it is there, and is woken when it may be.
///
/// Everything is called with the owner's lock held.
struct AdmissionQueue {
  fileprivate final class Waiter: Sendable {
    let semaphore = DispatchSemaphore(value: 0)
  }

  fileprivate var waiters: [Waiter] = []

  var isEmpty: Bool { waiters.isEmpty }
  var count: Int { waiters.count }

  /// What is waited for may be there.
  func wake() { waiters.first?.semaphore.signal() }

  /// Waits until `isThere` holds and everybody who came before has gone; `lock` is free meanwhile.
  ///
  /// - Parameters:
  ///   - line: the line in its owner, which others change while this waits.
  ///   - shouldStop: asked now and then, beside the thread's cancellation.
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
      // There may be enough for the next, too.
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
  /// Until the bell rings, or it is time to ask again.
  fileprivate func sleep(_ patience: Duration?, asks: Bool) {
    guard let longest = [patience, asks ? Cancellation.pause : nil].compactMap({ $0 }).min() else {
      return semaphore.wait()
    }
    _ = semaphore.wait(timeout: .now() + longest / .seconds(1))
  }
}
