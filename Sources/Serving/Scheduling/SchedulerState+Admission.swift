import CoreMLServingInterface

extension SchedulerState {
  /// Whether the model's runs are so short that it may use the express slot.
  func isExpress(_ queue: ModelQueue) -> Bool { (queue.estimate.median ?? .infinity) < settings.expressLimit }

  /// The seconds that a request submitted now would wait.
  ///
  /// Other models take their fair share at most, so a flood for one model does not lengthen the wait for another.
  func expectedWait(_ key: ModelKey, now: ContinuousClock.Instant) -> Double {
    guard let queue = models[key] else { return 0 }
    var remaining = 0.0
    for batch in batches.values {
      remaining += max(batch.cost - (now - batch.started).inSeconds * batch.share, 0)
    }
    let others = models.reduce(0) { $1.key == key ? $0 : $0 + $1.value.queuedSeconds }
    let rivals = models.count { $0.key != key && $0.value.waiting > 0 }
    let ahead = queue.queuedSeconds + min(others, queue.queuedSeconds * Double(rivals))
    let isBusy = !hasRegularSlot(for: queue)
    let shared = (ahead + (isBusy ? remaining : 0)) / Double(max(settings.slots, 1))
    guard models.count > 1, isExpress(queue) else { return shared }
    return min(shared, queue.queuedSeconds)
  }

  /// Decides at once whether a request may wait.
  func admit(to key: ModelKey, deadline: ContinuousClock.Instant?, now: ContinuousClock.Instant) throws(ServingError) {
    guard let queue = models[key] else { throw ServingError(.unavailable, "The model was unloaded.") }
    if let deadline, deadline <= now {
      throw ServingError(.deadlineExceeded, "The deadline of the request had passed when it arrived.")
    }
    let wait = expectedWait(key, now: now)
    func refusal(_ reason: String) -> ServingError {
      ServingError(.exhausted, "The model '\(queue.name)' is busy: \(reason).", retryAfter: .seconds(max(wait, 0.001)))
    }
    func text(_ seconds: Double) -> String { "\(Int((seconds * 1000).rounded(.up))) ms" }
    guard queue.waiting < settings.maximumDepth else { throw refusal("\(queue.waiting) requests wait") }
    guard wait > 0 else { return }
    if let deadline, wait > (deadline - now).inSeconds {
      throw refusal(
        "the expected wait is \(text(wait)), the request's deadline is in \(text((deadline - now).inSeconds))")
    }
    guard wait <= queue.maximumWait else {
      throw refusal("the expected wait is \(text(wait)), at most \(text(queue.maximumWait)) is admitted")
    }
  }
}
