import CoreMLBase
import CoreMLServingInterface
import Foundation

/// The state of the scheduler, its lock, and the tickets of its requests.
///
/// A ticket is answered by the code that removes it from `tickets` under the lock, so it is answered exactly once.
// Sendable: all mutable state is behind the lock.
final class SchedulerCore: @unchecked Sendable {
  struct Loaded {
    var model: any ServableModel
    var onRun: @Sendable (Int, RunTimes) -> Void
  }

  let lock = NSCondition()
  let clock: SchedulerClock
  let settings: SchedulerSettings
  var state: SchedulerState
  var models: [ModelKey: Loaded] = [:]
  var tickets: [UInt64: Ticket] = [:]
  /// Stops the runs, by number of the batch.
  var cancellations: [UInt64: Cancellation] = [:]
  private var lastID: UInt64 = 0
  private var isStopped = false
  private var nextSweep: ContinuousClock.Instant?

  init(_ settings: SchedulerSettings, clock: SchedulerClock) {
    (self.settings, self.clock, state) = (settings, clock, SchedulerState(settings))
  }

  func locked<Value>(_ body: () throws(ServingError) -> Value) throws(ServingError) -> Value {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }

  // MARK: models

  func add(
    _ model: any ServableModel, name: String, settings: QueueSettings,
    onRun: @escaping @Sendable (Int, RunTimes) -> Void
  ) -> ModelKey {
    lock.lock()
    defer { lock.unlock() }
    let key = state.add(
      name: name, usefulBatch: model.usefulBatch, parallelRuns: model.parallelRuns, settings: settings)
    models[key] = Loaded(model: model, onRun: onRun)
    return key
  }

  func remove(_ key: ModelKey) {
    lock.lock()
    let removed = state.remove(key).compactMap { tickets.removeValue(forKey: $0) }
    models[key] = nil
    lock.unlock()
    for ticket in removed { ticket.fail(.unavailable, "The model was unloaded.") }
  }

  func load(of key: ModelKey) -> (waiting: Int, running: Int) {
    lock.lock()
    defer { lock.unlock() }
    return (state.models[key]?.waiting ?? 0, state.models[key]?.running ?? 0)
  }

  func maximumWait(of key: ModelKey) -> Double {
    lock.lock()
    defer { lock.unlock() }
    return state.models[key]?.maximumWait ?? 0
  }

  // MARK: requests

  func makeID() -> UInt64 {
    lock.lock()
    defer { lock.unlock() }
    lastID += 1
    return lastID
  }

  func admit(on key: ModelKey, deadline: ContinuousClock.Instant?) throws(ServingError) {
    try locked { () throws(ServingError) in try state.admit(to: key, deadline: deadline, now: clock.now()) }
  }

  func submit(_ id: UInt64, _ ticket: Ticket, to key: ModelKey) {
    do throws(ServingError) {
      try locked { () throws(ServingError) in
        let request = ticket.request.request
        guard !isStopped else { throw ServingError(.unavailable, "The server is shutting down.") }
        try state.submit(
          id, to: key, bucket: ticket.request.bucket, priority: request.priority, deadline: request.deadline,
          now: clock.now())
        tickets[id] = ticket
        if let deadline = request.deadline { scheduleSweep(deadline) }
        if state.canStart { lock.signal() }
      }
    } catch {
      ticket.reply.resume(returning: .failure(error))
    }
  }

  func cancel(_ id: UInt64) {
    lock.lock()
    var stopped: Cancellation?
    if case .running(let batch, isLast: true) = state.cancel(id) { stopped = cancellations[batch] }
    let ticket = tickets.removeValue(forKey: id)
    lock.unlock()
    stopped?.cancel()
    ticket?.fail(.cancelled, "The client went away.")
  }

  // MARK: deadlines

  func sweep() {
    lock.lock()
    nextSweep = nil
    let expired = state.expire(now: clock.now()).compactMap { tickets.removeValue(forKey: $0) }
    if let next = state.nextDeadline { scheduleSweep(next) }
    lock.unlock()
    for ticket in expired { ticket.fail(.deadlineExceeded, "The request's deadline passed while it waited.") }
  }

  /// Must be called with the lock held. Sweeps are at least 2 ms apart.
  private func scheduleSweep(_ deadline: ContinuousClock.Instant) {
    if let nextSweep, nextSweep <= deadline { return }
    nextSweep = deadline
    let seconds = max((deadline - clock.now()).inSeconds, 0) + 0.002
    DispatchQueue.global().asyncAfter(deadline: .now() + min(seconds, 3600)) { [weak self] in self?.sweep() }
  }

  // MARK: threads

  /// The loop of a thread.
  func work() {
    lock.lock()
    while true {
      if let batch = state.next(now: clock.now()) {
        // Another thread may start a run beside this one.
        if state.canStart { lock.signal() }
        lock.unlock()
        run(batch)
        lock.lock()
      } else if isStopped {
        break
      } else {
        lock.wait()
      }
    }
    lock.unlock()
  }

  func stop() {
    lock.lock()
    isStopped = true
    var waiting: [Ticket] = []
    for key in Array(state.models.keys) {
      waiting += state.remove(key).compactMap { tickets.removeValue(forKey: $0) }
    }
    let running = Array(cancellations.values)
    // A model that does not stop must not keep its callers waiting.
    let stopped = Array(tickets.values)
    (models, tickets) = ([:], [:])
    lock.broadcast()
    lock.unlock()
    for cancellation in running { cancellation.cancel() }
    for ticket in waiting { ticket.fail(.unavailable, "The server is shutting down.") }
    for ticket in stopped { ticket.fail(.cancelled, "The server is shutting down.") }
  }
}

extension Ticket {
  func fail(_ code: ServingError.Code, _ message: String) {
    reply.resume(returning: .failure(ServingError(code, message)))
  }
}
