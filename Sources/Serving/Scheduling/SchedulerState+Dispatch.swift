import CoreMLServingInterface

extension SchedulerState {
  private struct Candidate {
    /// The place in the ring.
    var place: Int
    var key: ModelKey
    var bucket: Bucket
    var cost: Double
    /// The rounds of the round robin until the model's grants cover the cost.
    var rounds: Double
  }

  /// The next run, if a slot is free and a request waits.
  ///
  /// Models take turns by deficit round robin: each round grants every model that waits the same processor time. A model
  /// runs when its grants cover the expected time of its next run.
  mutating func next(now: ContinuousClock.Instant) -> Batch? {
    let candidates = candidates
    guard let chosen = choice(candidates) else { return nil }
    let isAlone = candidates.count == 1
    if chosen.rounds > 0, !isAlone {
      for candidate in candidates {
        guard let weight = models[candidate.key]?.settings.weight else { continue }
        models[candidate.key]?.deficit += chosen.rounds * settings.quantum * weight
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
  var canStart: Bool { choice(candidates) != nil }

  private var candidates: [Candidate] {
    var candidates: [Candidate] = []
    for (place, key) in ring.enumerated() {
      guard let queue = models[key], queue.waiting > 0, let bucket = queue.nextBucket else { continue }
      let cost = queue.cost(bucket)
      let missing = max(cost - queue.deficit, 0)
      let rounds = (missing / (settings.quantum * queue.settings.weight)).rounded(.up)
      candidates.append(Candidate(place: place, key: key, bucket: bucket, cost: cost, rounds: rounds))
    }
    return candidates
  }

  /// The model whose turn it is, if a slot is free for it.
  ///
  /// If none is free, nobody overtakes it: a model that needs a whole slot would otherwise wait forever beside one whose
  /// runs take a part. Only the express slot is still open.
  private func choice(_ candidates: [Candidate]) -> Candidate? {
    guard let first = turn(candidates), let queue = models[first.key] else { return nil }
    if hasRegularSlot(for: queue) { return first }
    guard models.count > 1, !batches.values.contains(where: { $0.isExpress }) else { return nil }
    return turn(candidates.filter { models[$0.key].map(isExpress) ?? false })
  }

  private func turn(_ candidates: [Candidate]) -> Candidate? {
    guard let rounds = candidates.map(\.rounds).min() else { return nil }
    // The model that ran last goes on while its grants last; afterwards it is the last.
    return candidates.first { $0.rounds == rounds && ($0.place > 0 || rounds == 0) }
      ?? candidates.first { $0.rounds == rounds }
  }

  /// Whether nothing waits or runs.
  var isIdle: Bool { places.isEmpty && batches.isEmpty }

  /// Whether a run of the model fits beside those that run.
  func hasRegularSlot(for queue: ModelQueue) -> Bool {
    var (taken, count) = (0.0, 0)
    for batch in batches.values where !batch.isExpress {
      taken += batch.share
      count += 1
    }
    // Shares such as 1/3 do not add up exactly.
    return taken + queue.share <= Double(settings.slots) + 1e-6 && count < max(settings.slots, settings.maximumRuns)
  }

  private mutating func start(
    _ key: ModelKey, _ bucket: Bucket, cost: Double, charged: Double?, now: ContinuousClock.Instant
  ) -> Batch? {
    guard let queue = models[key] else { return nil }
    let isExpress = !hasRegularSlot(for: queue)
    guard let entries = models[key]?.take(bucket), !entries.isEmpty else { return nil }
    models[key]?.dropGrants()
    nextBatch += 1
    let batch = Batch(
      number: nextBatch, model: key, bucket: bucket, requests: entries.map(\.id), submitted: entries.map(\.submitted),
      deadlines: entries.map(\.deadline), started: now, cost: cost, share: queue.share, isExpress: isExpress,
      charged: charged)
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
      models[batch.model]?.correct(by: charged - seconds * batch.share)
    }
  }
}
