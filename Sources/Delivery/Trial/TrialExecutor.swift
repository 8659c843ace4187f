import Dispatch

/// Runs tasks that wait for processes, on threads of their own: those that all other tasks share go on.
final class TrialExecutor: TaskExecutor {
  static let shared = TrialExecutor()
  private let queue = DispatchQueue(label: "coreml.delivery.trials", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
