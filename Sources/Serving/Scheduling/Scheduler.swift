import CoreMLServingInterface
import Foundation

/// Runs requests on threads of its own. Requests that wait hold no thread.
package final class Scheduler: Sendable {
  private let core: SchedulerCore

  /// - Parameter settings: `slots` must be at least 1. There is one thread more than runs, for the express slot.
  package init(_ settings: SchedulerSettings = SchedulerSettings(), clock: SchedulerClock = .system) {
    let core = SchedulerCore(settings, clock: clock)
    self.core = core
    for number in 0...max(settings.slots, settings.maximumRuns, 1) {
      let thread = Thread { core.work() }
      thread.name = "serve-\(number)"
      // Kernels and image decoders use large frames.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  deinit { core.stop() }

  /// Adds a model.
  ///
  /// - Parameter onRun: called after each run with its rows and times.
  package func add(
    _ model: any ServableModel, name: String, settings: QueueSettings = QueueSettings(),
    onRun: @escaping @Sendable (Int, RunTimes) -> Void = { _, _ in }
  ) -> ModelKey { core.add(model, name: name, settings: settings, onRun: onRun) }

  /// Removes a model. Waiting requests fail with `unavailable`; running ones end as usual.
  package func remove(_ key: ModelKey) { core.remove(key) }

  /// Runs a request: admission, queue, batch. Cancelling the task ends the call at once.
  package func run(_ request: PreparedRequest, on key: ModelKey) async throws(ServingError) -> ScheduledAnswer {
    if let answer = core.runNow(request, on: key) { return try answer.get() }
    let id = core.makeID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        core.submit(id, Ticket(request: request, reply: continuation), to: key)
        // A cancellation before the submission found nothing to cancel.
        if Task.isCancelled { core.cancel(id) }
      }
    } onCancel: {
      core.cancel(id)
    }
    return try result.get()
  }

  /// Whether a request submitted now would be admitted.
  package func admit(on key: ModelKey, deadline: ContinuousClock.Instant?) throws(ServingError) {
    try core.admit(on: key, deadline: deadline)
  }

  /// The waiting and running requests of a model.
  package func load(of key: ModelKey) -> (waiting: Int, running: Int) { core.load(of: key) }

  /// The time limit of admission for a model, in seconds.
  package func maximumWait(of key: ModelKey) -> Double { core.maximumWait(of: key) }

  /// Answers the waiting requests whose deadline has passed. A timer calls it; tests with a clock of their own do, too.
  package func sweep() { core.sweep() }

  /// Fails all waiting requests with `unavailable`, stops running ones, and ends the threads.
  package func stop() { core.stop() }
}

/// A submitted request, and the task that waits for its answer.
struct Ticket: Sendable {
  typealias Reply = CheckedContinuation<Result<ScheduledAnswer, ServingError>, Never>
  var request: PreparedRequest
  var reply: Reply
}
