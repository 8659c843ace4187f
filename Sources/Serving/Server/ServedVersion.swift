import CoreMLServingInterface
import Synchronization

/// One version of a model that answers requests, or that has done so and drains.
final class ServedVersion: Sendable {
  let name: String
  let version: String
  /// The name of the source. It differs from `name` for a function of a model.
  let base: String
  let opened: OpenedModel
  let key: ModelKey
  let statistics: StatisticsRecorder
  let sequences: SequenceTable?
  /// Identifies the files that the version was loaded from.
  let fingerprint: String
  private let scheduler: Scheduler
  private let memory: MemoryReservation
  private let use = Mutex<(count: Int, waiter: CheckedContinuation<Void, Never>?)>((0, nil))

  init(
    name: String, version: String, base: String, _ opened: OpenedModel, fingerprint: String, scheduler: Scheduler,
    memory: MemoryReservation, maximumWait: Double?
  ) {
    (self.name, self.version, self.base) = (name, version, base)
    (self.opened, self.fingerprint) = (opened, fingerprint)
    (self.scheduler, self.memory) = (scheduler, memory)
    let statistics = StatisticsRecorder(name: name, version: version)
    self.statistics = statistics
    sequences = opened.makeState.map { SequenceTable(makeState: $0) }
    key = scheduler.add(
      opened.model, name: name, settings: QueueSettings(maximumWait: maximumWait, runSeconds: opened.runSeconds)
    ) { rows, times in statistics.add(rows: rows, times) }
  }

  /// Runs a request. The caller holds a use of the version.
  func run(_ request: InferenceRequest) async throws(ServingError) -> InferenceAnswer {
    let start = ContinuousClock.now
    do throws(ServingError) {
      let answer = try await scheduled(request)
      statistics.add(answer, total: ContinuousClock.now - start)
      return InferenceAnswer(model: name, version: version, id: request.id, outputs: answer.outputs)
    } catch {
      statistics.add(error, total: ContinuousClock.now - start)
      throw error
    }
  }

  private func scheduled(_ request: InferenceRequest) async throws(ServingError) -> ScheduledAnswer {
    let shapes = try opened.check(request)
    guard let sequences else {
      return try await scheduler.run(PreparedRequest(request, bucket: Bucket(shapes: shapes)), on: key)
    }
    guard let step = request.sequence else {
      throw ServingError(
        .invalidArgument, "The model '\(name)' keeps a state, so a request needs the parameter 'sequence_id'.")
    }
    let state = try sequences.begin(step, now: .now)
    let bucket = Bucket(shapes: "", sequence: step.id)
    do throws(ServingError) {
      let answer = try await scheduler.run(PreparedRequest(request, bucket: bucket, sequence: state), on: key)
      sequences.finish(step, state, hasRun: true, now: .now)
      return answer
    } catch {
      sequences.finish(step, state, hasRun: error.code != .exhausted, now: .now)
      throw error
    }
  }

  func admit(deadline: ContinuousClock.Instant?) throws(ServingError) {
    try scheduler.admit(on: key, deadline: deadline)
  }

  var currentStatistics: ModelStatistics {
    var statistics = statistics.current
    let load = scheduler.load(of: key)
    (statistics.waiting, statistics.running) = (load.waiting, load.running)
    statistics.memoryBytes = UInt64(max(memory.bytes, 0))
    return statistics
  }

  // MARK: use

  /// Must be called under the lock of the registry, so that a drained version gets no new use.
  func acquire() { use.withLock { $0.count += 1 } }

  func release() {
    let waiter = use.withLock { use -> CheckedContinuation<Void, Never>? in
      use.count -= 1
      guard use.count == 0 else { return nil }
      defer { use.waiter = nil }
      return use.waiter
    }
    waiter?.resume()
  }

  /// Waits until no request uses the version and its sequences have ended, and removes it from the scheduler.
  ///
  /// Called once, after the version has left the registry's routes.
  ///
  /// - Parameter endsSequences: whether sequences end now instead of when their clients end them.
  func drain(endsSequences: Bool = false) async {
    while !endsSequences, let sequences, !sequences.isEmpty {
      try? await Task.sleep(for: .milliseconds(100))
      sequences.expire(now: .now)
      if Task.isCancelled { break }
    }
    await withCheckedContinuation { continuation in
      let isIdle = use.withLock { use in
        if use.count > 0 { use.waiter = continuation }
        return use.count == 0
      }
      if isIdle { continuation.resume() }
    }
    scheduler.remove(key)
  }
}
