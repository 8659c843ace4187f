import CoreMLServingInterface

extension SchedulerState {
  /// The next run, if a slot is free and a request waits.
  ///
  /// Models take turns by deficit round robin: each round grants every model that waits the same processor time. A model
  /// runs when its grants cover the expected time of its next run.
  mutating func next(now: ContinuousClock.Instant) -> Batch? {
    var candidates: [(place: Int, key: ModelKey, bucket: Bucket, cost: Double, rounds: Double)] = []
    for (place, key) in ring.enumerated() {
      guard let queue = models[key], queue.waiting > 0, hasSlot(for: queue), let bucket = queue.nextBucket else {
        continue
      }
      let cost = queue.cost(bucket)
      let missing = max(cost - queue.deficit, 0)
      candidates.append((place, key, bucket, cost, (missing / (settings.quantum * queue.settings.weight)).rounded(.up)))
    }
    guard let rounds = candidates.map(\.rounds).min() else { return nil }
    // The model that ran last goes on while its grants last; afterwards it is the last.
    guard
      let chosen = candidates.first(where: { $0.rounds == rounds && ($0.place > 0 || rounds == 0) })
        ?? candidates.first(where: { $0.rounds == rounds })
    else { return nil }
    let isAlone = candidates.count == 1
    if rounds > 0, !isAlone {
      for candidate in candidates {
        guard let weight = models[candidate.key]?.settings.weight else { continue }
        models[candidate.key]?.deficit += rounds * settings.quantum * weight
      }
    }
    // A model without rivals neither saves grants nor goes into debt.
    if isAlone {
      models[chosen.key]?.deficit = 0
    } else {
      models[chosen.key]?.deficit -= chosen.cost
    }
    ring = Array(ring[chosen.place...] + ring[..<chosen.place])
    return start(chosen.key, chosen.bucket, cost: chosen.cost, charged: isAlone ? nil : chosen.cost, now: now)
  }

  /// Whether `next` would find a run.
  var canStart: Bool {
    models.values.contains { $0.waiting > 0 && hasSlot(for: $0) && $0.nextBucket != nil }
  }

  /// Whether nothing waits or runs.
  var isIdle: Bool { places.isEmpty && batches.isEmpty }

  private func hasSlot(for queue: ModelQueue) -> Bool {
    batches.count < settings.slots || models.count > 1 && batches.count == settings.slots && isExpress(queue)
  }

  private mutating func start(
    _ key: ModelKey, _ bucket: Bucket, cost: Double, charged: Double?, now: ContinuousClock.Instant
  ) -> Batch? {
    guard let entries = models[key]?.take(bucket), !entries.isEmpty else { return nil }
    models[key]?.dropGrants()
    nextBatch += 1
    let batch = Batch(
      number: nextBatch, model: key, bucket: bucket, requests: entries.map(\.id), submitted: entries.map(\.submitted),
      deadlines: entries.map(\.deadline), started: now, expectedSeconds: cost, charged: charged)
    for entry in entries { places[entry.id] = .running(batch.number) }
    batches[batch.number] = batch
    return batch
  }

  /// Ends a run and frees its slot.
  ///
  /// - Parameter isMeasured: whether the run is typical. Stopped and failed ones are not.
  mutating func finish(_ number: UInt64, isMeasured: Bool = true, now: ContinuousClock.Instant) {
    guard let batch = batches.removeValue(forKey: number) else { return }
    for id in batch.requests { places[id] = nil }
    let seconds = (now - batch.started).inSeconds
    models[batch.model]?.finished(batch.bucket, rows: batch.requests.count)
    if isMeasured {
      models[batch.model]?.estimate.add(seconds, rows: batch.requests.count, shapes: batch.bucket.shapes)
    }
    if let charged = batch.charged {
      models[batch.model]?.correct(by: charged - seconds)
    }
  }
}
