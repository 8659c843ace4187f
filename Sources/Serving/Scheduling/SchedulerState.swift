import CoreMLServingInterface

/// Which request runs when. It has no threads and no clock, so that a simulation decides both.
///
/// Invariant: each submitted request leaves exactly once: by `finish`, by `cancel`, by `expire`, or by `remove`.
struct SchedulerState {
  /// A run that a free slot has taken.
  struct Batch {
    var number: UInt64
    var model: ModelKey
    var bucket: Bucket
    var requests: [UInt64]
    /// When each request was submitted.
    var submitted: [ContinuousClock.Instant]
    var deadlines: [ContinuousClock.Instant?]
    var started: ContinuousClock.Instant
    /// The expected seconds of a whole slot.
    var cost: Double
    /// The part of a slot that the run takes.
    var share: Double
    /// Whether the run is in the slot of short runs.
    var isExpress: Bool
    /// The seconds that the round robin has charged for the run; nil if the model had no rivals.
    var charged: Double?
    /// Requests whose client went away.
    var cancelled: Set<UInt64> = []
  }

  enum Place {
    case waiting(ModelKey, Bucket)
    case running(UInt64)
  }

  let settings: SchedulerSettings
  var models: [ModelKey: ModelQueue] = [:]
  /// The order of the round robin. The first is the one that ran last.
  var ring: [ModelKey] = []
  var places: [UInt64: Place] = [:]
  var batches: [UInt64: Batch] = [:]
  var nextBatch: UInt64 = 0
  private var nextModel: UInt64 = 0

  init(_ settings: SchedulerSettings = SchedulerSettings()) { self.settings = settings }

  // MARK: models

  mutating func add(
    name: String, usefulBatch: Int, parallelRuns: Int = 1, settings: QueueSettings
  ) -> ModelKey {
    let runs = min(parallelRuns, self.settings.maximumRuns)
    nextModel += 1
    let key = ModelKey(number: nextModel)
    models[key] = ModelQueue(name: name, usefulBatch: usefulBatch, parallelRuns: runs, settings: settings)
    ring.append(key)
    return key
  }

  /// Forgets a model. Returns the requests that waited for it, which now have no place. Running ones end as usual.
  mutating func remove(_ key: ModelKey) -> [UInt64] {
    guard let queue = models.removeValue(forKey: key) else { return [] }
    ring.removeAll { $0 == key }
    let waiting = queue.buckets.values.flatMap { $0.waiting.map(\.id) }
    for id in waiting { places[id] = nil }
    return waiting
  }

  // MARK: requests

  /// Puts a request into its queue.
  ///
  /// - Throws: `unavailable`, `exhausted` or `deadlineExceeded`; the request then has no place.
  mutating func submit(
    _ id: UInt64, to key: ModelKey, bucket: Bucket, priority: Int = 0, deadline: ContinuousClock.Instant? = nil,
    now: ContinuousClock.Instant
  ) throws(ServingError) {
    try admit(to: key, deadline: deadline, now: now)
    guard let queue = models[key] else { return }
    let cost = queue.estimate.row(bucket.shapes) * queue.share
    let level = bucket.sequence == nil ? (priority > 0 ? priority : settings.defaultPriority) : 0
    let rank = now + .seconds(settings.agingSeconds * Double(min(level, 100)))
    models[key]?.insert(
      BucketQueue.Entry(id: id, rank: rank, submitted: now, deadline: deadline, cost: cost), bucket)
    places[id] = .waiting(key, bucket)
  }

  enum Cancelled {
    /// The request has ended already.
    case unknown
    /// The request waited. It has left.
    case waited
    /// The request runs. The batch must be stopped if no request of it is wanted any more.
    case running(batch: UInt64, isLast: Bool)
  }

  mutating func cancel(_ id: UInt64) -> Cancelled {
    switch places[id] {
    case nil: return .unknown
    case .waiting(let key, let bucket):
      places[id] = nil
      _ = models[key]?.remove(id, bucket)
      return .waited
    case .running(let number):
      guard var batch = batches[number] else { return .unknown }
      guard batch.cancelled.insert(id).inserted else { return .unknown }
      batches[number] = batch
      return .running(batch: number, isLast: batch.cancelled.count == batch.requests.count)
    }
  }

  /// Removes the waiting requests whose deadline has passed.
  mutating func expire(now: ContinuousClock.Instant) -> [UInt64] {
    var expired: [UInt64] = []
    for key in ring {
      guard let queue = models[key], queue.waiting > 0 else { continue }
      for (bucket, waiting) in queue.buckets {
        for entry in waiting.waiting where entry.deadline.map({ $0 <= now }) ?? false {
          _ = models[key]?.remove(entry.id, bucket)
          places[entry.id] = nil
          expired.append(entry.id)
        }
      }
    }
    return expired
  }

  /// The earliest deadline of the waiting requests.
  var nextDeadline: ContinuousClock.Instant? {
    models.values.lazy.flatMap { $0.buckets.values.lazy.flatMap { $0.waiting.lazy.compactMap(\.deadline) } }.min()
  }
}
