/// The waiting and running requests of one model.
struct ModelQueue {
  let name: String
  let settings: QueueSettings
  let usefulBatch: Int
  /// The part of a slot that one run takes.
  let share: Double
  var estimate: RunEstimate
  private(set) var buckets: [Bucket: BucketQueue] = [:]
  /// The waiting requests.
  private(set) var waiting = 0
  /// The requests that run.
  var running = 0
  /// The expected seconds of a whole slot for all waiting requests.
  private(set) var queuedSeconds = 0.0
  /// The processor seconds that the round robin still grants; negative after a run that was longer than expected.
  var deficit = 0.0

  init(name: String, usefulBatch: Int, parallelRuns: Int = 1, settings: QueueSettings) {
    (self.name, self.usefulBatch, self.settings) = (name, max(usefulBatch, 1), settings)
    share = 1 / Double(max(parallelRuns, 1))
    estimate = RunEstimate(runSeconds: settings.runSeconds)
  }

  var isIdle: Bool { waiting == 0 && running == 0 }

  /// The longest expected wait that is admitted.
  var maximumWait: Double { settings.maximumWait ?? min(max(10 * (estimate.median ?? 0), 0.1), 5) }

  mutating func insert(_ entry: BucketQueue.Entry, _ bucket: Bucket) {
    buckets[bucket, default: BucketQueue()].insert(entry)
    waiting += 1
    queuedSeconds += entry.cost
  }

  mutating func remove(_ id: UInt64, _ bucket: Bucket) -> BucketQueue.Entry? {
    guard let entry = buckets[bucket]?.remove(id) else { return nil }
    removed([entry], bucket)
    return entry
  }

  /// The bucket with the most urgent request that may run now.
  ///
  /// A sequence with a running request waits for it.
  var nextBucket: Bucket? {
    var best: (Bucket, BucketQueue.Entry)?
    for (bucket, queue) in buckets where bucket.sequence == nil || queue.running == 0 {
      guard let entry = queue.first else { continue }
      if best.map({ entry.precedes($0.1) }) ?? true { best = (bucket, entry) }
    }
    return best?.0
  }

  /// The requests of the next run, which wait for no company.
  mutating func take(_ bucket: Bucket) -> [BucketQueue.Entry] {
    var taken: [BucketQueue.Entry] = []
    let most = bucket.sequence == nil ? usefulBatch : 1
    while taken.count < most, let entry = buckets[bucket]?.take() { taken.append(entry) }
    buckets[bucket]?.running += 1
    removed(taken, bucket)
    running += taken.count
    return taken
  }

  mutating func finished(_ bucket: Bucket, rows: Int) {
    running -= rows
    buckets[bucket]?.running -= 1
    drop(bucket)
  }

  /// A model for which nothing waits keeps no grants, only its debt.
  mutating func dropGrants() { if waiting == 0 { deficit = min(deficit, 0) } }

  /// Charges the round robin for the difference between expected and actual seconds of a run. The debt is bounded, so
  /// that one odd run does not shut a model out.
  mutating func correct(by seconds: Double) { deficit = max(deficit + seconds, -1) }

  /// The expected seconds of a whole slot for the next run of a bucket.
  func cost(_ bucket: Bucket) -> Double {
    guard let queue = buckets[bucket] else { return 0 }
    return queue.waiting.prefix(bucket.sequence == nil ? usefulBatch : 1).reduce(0) { $0 + $1.cost }
  }

  private mutating func removed(_ entries: [BucketQueue.Entry], _ bucket: Bucket) {
    waiting -= entries.count
    for entry in entries { queuedSeconds -= entry.cost }
    // Sums of rounded numbers drift.
    if waiting == 0 { queuedSeconds = 0 }
    drop(bucket)
  }

  private mutating func drop(_ bucket: Bucket) {
    guard let queue = buckets[bucket], queue.isEmpty, queue.running == 0 else { return }
    buckets[bucket] = nil
  }
}
