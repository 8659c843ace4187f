import Dispatch

/// Runs tasks that block on processes on a separate concurrent queue, so that they do not occupy the shared concurrency
/// pool.
final class TrialExecutor: TaskExecutor {
  static let shared = TrialExecutor()
  private let queue = DispatchQueue(label: "coreml.delivery.trials", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
