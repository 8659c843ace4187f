import Foundation

/// Threads of the process that run predictions of tasks. A task takes a thread when it has its turn, so there are no
/// more threads than predictions that may run. Idle threads end after a while.
///
/// Dispatch's threads do not suit: all of them may be blocked by work that itself needs one.
package final class PredictionThreads: @unchecked Sendable {  // the condition guards the mutable state
  package static let shared = PredictionThreads()

  private let condition = NSCondition()
  private var jobs: [@Sendable () -> Void] = []
  private var (idle, count) = (0, 0)
  private let patience: TimeInterval

  /// - Parameter patience: The seconds that an idle thread waits for work.
  init(patience: TimeInterval = 10) { self.patience = patience }

  /// Runs `body` on one of the threads.
  package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      submit { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  /// The number of threads.
  var threads: Int {
    condition.lock()
    defer { condition.unlock() }
    return count
  }

  private func submit(_ job: @escaping @Sendable () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    jobs.append(job)
    if jobs.count <= idle { return condition.signal() }
    count += 1
    guard !start() else { return }
    count -= 1
    // The system gives no more threads. Another of the pool takes the job; if there is none, one of Dispatch's does.
    if count == 0 { DispatchQueue.global().async { self.takeOne() } }
  }

  private func start() -> Bool {
    var thread = pthread_t()
    let pool = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { pool in
        if let pool { Unmanaged<PredictionThreads>.fromOpaque(pool).takeRetainedValue().work() }
        return nil
      }, pool.toOpaque())
    guard status == 0 else {
      pool.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func takeOne() {
    condition.lock()
    let job = jobs.isEmpty ? nil : jobs.removeFirst()
    condition.unlock()
    job?()
  }

  private func work() {
    condition.lock()
    while true {
      while jobs.isEmpty {
        idle += 1
        let isSignaled = condition.wait(until: Date(timeIntervalSinceNow: patience))
        idle -= 1
        if !isSignaled, jobs.isEmpty {
          count -= 1
          return condition.unlock()
        }
      }
      let job = jobs.removeFirst()
      condition.unlock()
      job()
      condition.lock()
    }
  }
}
