@testable import CoreMLServing
import CoreMLServingInterface

/// Runs a scheduler's state on a virtual clock with models that take a fixed time a row.
struct Simulation {
  struct Model {
    var key: ModelKey
    var secondsPerRow: Double
  }

  enum Outcome: Equatable {
    case answered, refused, expired, cancelled
  }

  struct Request {
    var model: Int
    var bucket: Bucket
    var priority: Int
    var submitted: Double
    var deadline: Double?
    var started: Double?
    var ended: Double?
    var outcome: Outcome?
    var batch: UInt64?
  }

  static let origin = ContinuousClock.now
  var state: SchedulerState
  var models: [Model] = []
  var requests: [Request] = []
  var now = 0.0
  /// Ends of runs: time, batch.
  private var ends: [(time: Double, batch: SchedulerState.Batch)] = []
  /// Requests that ended more than once, or that ran after their deadline.
  var violations: [String] = []
  var busySeconds: [Double] = []
  var largestBatch = 0

  init(_ settings: SchedulerSettings = SchedulerSettings()) { state = SchedulerState(settings) }

  var instant: ContinuousClock.Instant { Self.origin + .seconds(now) }

  mutating func add(
    seconds: Double, usefulBatch: Int = 1, parallelRuns: Int = 1, maximumWait: Double? = nil
  ) -> Int {
    let settings = QueueSettings(maximumWait: maximumWait, runSeconds: seconds)
    let key = state.add(
      name: "m\(models.count)", usefulBatch: usefulBatch, parallelRuns: parallelRuns, settings: settings)
    models.append(Model(key: key, secondsPerRow: seconds))
    busySeconds.append(0)
    return models.count - 1
  }

  /// Submits a request and returns its number.
  @discardableResult
  mutating func submit(
    _ model: Int, bucket: Bucket = Bucket(), priority: Int = 0, deadline: Double? = nil
  ) -> Int {
    let id = requests.count
    requests.append(Request(model: model, bucket: bucket, priority: priority, submitted: now, deadline: deadline))
    do throws(ServingError) {
      try state.submit(
        UInt64(id), to: models[model].key, bucket: bucket, priority: priority,
        deadline: deadline.map { Self.origin + .seconds($0) }, now: instant)
    } catch {
      end(id, error.code == .deadlineExceeded ? .expired : .refused)
    }
    dispatch()
    return id
  }

  mutating func cancel(_ id: Int) {
    switch state.cancel(UInt64(id)) {
    case .unknown: break
    // As the real scheduler does: a row of a run may have expired before.
    case .running where requests[id].outcome != nil: break
    case .waited, .running: end(id, .cancelled)
    }
  }

  mutating func sweep() { for id in state.expire(now: instant) { end(Int(id), .expired) } }

  /// Moves the clock and ends the runs that are due.
  mutating func advance(to time: Double) {
    while let next = ends.indices.min(by: { ends[$0].time < ends[$1].time }), ends[next].time <= time {
      let (end, batch) = ends.remove(at: next)
      now = end
      state.finish(batch.number, now: instant)
      for id in batch.requests where requests[Int(id)].outcome == nil { self.end(Int(id), .answered) }
      dispatch()
    }
    now = max(now, time)
  }

  mutating func drain() {
    while let last = ends.map(\.time).max() { advance(to: last) }
  }

  private mutating func dispatch() {
    while let batch = state.next(now: instant) {
      let model = models.firstIndex { $0.key == batch.model } ?? 0
      let rows = batch.requests.map(Int.init)
      largestBatch = max(largestBatch, rows.count)
      // As the real scheduler does: rows whose deadline has passed do not run.
      let wanted = rows.filter { id in
        guard let deadline = requests[id].deadline, deadline <= now else { return true }
        end(id, .expired)
        return false
      }
      for id in wanted { (requests[id].started, requests[id].batch) = (now, batch.number) }
      let seconds = models[model].secondsPerRow * Double(wanted.count)
      busySeconds[model] += seconds
      ends.append((now + seconds, batch))
    }
    let taken = state.batches.values.reduce(0) { $0 + ($1.isExpress ? 0 : $1.share) }
    if taken > Double(state.settings.slots) + 1e-3 { violations.append("more runs than slots") }
    if state.batches.values.count(where: \.isExpress) > 1 { violations.append("more than one express run") }
  }

  private mutating func end(_ id: Int, _ outcome: Outcome) {
    if requests[id].outcome != nil { violations.append("request \(id) ended twice") }
    requests[id].outcome = outcome
    requests[id].ended = now
  }
}

/// Repeatable random numbers.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
