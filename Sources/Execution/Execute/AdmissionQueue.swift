import CoreMLBase
import Dispatch
import MIL

import class Foundation.NSLock

/// A FIFO queue of threads and tasks that wait for a resource. Only the first waiter checks whether the resource is
/// available, and only it is woken. A task that waits holds no thread.
///
/// All functions must be called with the owner's lock held.
struct AdmissionQueue {
  /// A thread that sleeps, or a task that is suspended.
  final class Waiter: Sendable {
    fileprivate let semaphore = DispatchSemaphore(value: 0)
    /// Called once, with the lock held, after the waiter got the resource. Nil for a thread.
    fileprivate let admit: (@Sendable () -> Void)?

    fileprivate init() { admit = nil }
    init(admit: @escaping @Sendable () -> Void) { self.admit = admit }
  }

  fileprivate var waiters: [Waiter] = []

  var isEmpty: Bool { waiters.isEmpty }
  var count: Int { waiters.count }

  /// Admits tasks at the front for as long as the resource suffices, and wakes the thread behind them.
  ///
  /// - Parameter take: Takes the resource for a task; false if it is not available.
  mutating func wake(_ take: () -> Bool) {
    while let first = waiters.first {
      guard let admit = first.admit else { return _ = first.semaphore.signal() }
      guard take() else { return }
      waiters.removeFirst()
      admit()
    }
  }

  /// Adds a task to the end. `wake` admits it.
  mutating func append(_ waiter: Waiter) { waiters.append(waiter) }

  /// Removes a task. Returns false if it is no longer in the queue.
  mutating func remove(_ waiter: Waiter) -> Bool {
    guard let place = waiters.firstIndex(where: { $0 === waiter }) else { return false }
    waiters.remove(at: place)
    return true
  }

  /// Waits until all earlier waiters have left and `take` has taken the resource. The lock is released while the thread
  /// sleeps.
  ///
  /// - Parameters:
  ///   - line: The queue in its owner. Other threads change it during the wait.
  ///   - shouldStop: Polled in addition to the thread's cancellation.
  ///   - take: Takes the resource for this thread; false if it is not available.
  ///   - takeForTask: Takes the resource for a task behind this thread, as in `wake`.
  /// - Throws: `RuntimeError` of code `.cancelled`.
  static func wait<Owner: AnyObject>(
    in line: ReferenceWritableKeyPath<Owner, AdmissionQueue>, of owner: Owner, _ lock: NSLock,
    _ shouldStop: (() -> Bool)?, take: () -> Bool, takeForTask: () -> Bool
  ) throws {
    guard !owner[keyPath: line].isEmpty || !take() else { return }
    let cancellation = Cancellation.current
    let waiter = Waiter()
    owner[keyPath: line].waiters.append(waiter)
    defer {
      owner[keyPath: line].waiters.removeAll { $0 === waiter }
      // The resource may suffice for the next waiter too.
      owner[keyPath: line].wake(takeForTask)
    }
    func stand() throws {
      while owner[keyPath: line].waiters.first !== waiter || !take() {
        lock.unlock()
        let isStopped = cancellation?.isCancelled == true || shouldStop?() == true
        if !isStopped { waiter.sleep(cancellation?.patience, asks: shouldStop != nil) }
        lock.lock()
        guard isStopped else { continue }
        throw stopped
      }
    }
    guard let cancellation else { return try stand() }
    try cancellation.telling({ waiter.semaphore.signal() }, stand)
  }

  static var stopped: RuntimeError {
    RuntimeError(.cancelled, "the prediction was stopped while it waited for others of its model")
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
