import CoreMLBase
import CoreMLServingInterface

extension SchedulerCore {
  /// The result of a request, and of the run that it was part of.
  private typealias RowResult = Result<ScheduledAnswer, ServingError>

  /// Runs a batch on the calling thread and answers its requests.
  func run(_ batch: SchedulerState.Batch) {
    lock.lock()
    let loaded = models[batch.model]
    let cancellation = Cancellation()
    cancellations[batch.number] = cancellation
    let rows = batch.requests.indices.compactMap { row in
      tickets[batch.requests[row]].map { (id: batch.requests[row], request: $0.request, row: row) }
    }
    lock.unlock()

    let now = clock.now()
    var results: [UInt64: RowResult] = [:]
    var wanted: [(id: UInt64, request: PreparedRequest, row: Int)] = []
    for row in rows {
      if let deadline = batch.deadlines[row.row], deadline <= now {
        results[row.id] = .failure(ServingError(.deadlineExceeded, "The request's deadline passed while it waited."))
      } else {
        wanted.append(row)
      }
    }
    func answer(_ result: Result<[ServingTensor], ServingError>, _ row: Int, _ outcome: BatchOutcome) -> RowResult {
      result.map { outputs in
        ScheduledAnswer(
          outputs: outputs, queued: batch.started - batch.submitted[row], times: outcome.times,
          batchSize: outcome.rows.count)
      }
    }
    var isMeasured = false
    if let loaded, !wanted.isEmpty {
      do throws(ServingError) {
        let outcome = try predict(wanted.map(\.request), loaded, cancellation)
        for (row, result) in zip(wanted, outcome.rows) { results[row.id] = answer(result, row.row, outcome) }
        isMeasured = true
      } catch {
        if wanted.count == 1 || cancellation.isCancelled {
          for row in wanted { results[row.id] = .failure(error) }
        } else {
          // Some row is bad. Each runs again alone, so that only the bad ones fail.
          for row in wanted {
            results[row.id] = again(row.id, row.request, loaded, cancellation) { answer($0, row.row, $1) }
          }
        }
      }
    }
    finish(batch, results, isMeasured: isMeasured)
  }

  private func again(
    _ id: UInt64, _ request: PreparedRequest, _ loaded: Loaded, _ cancellation: Cancellation,
    _ answer: (Result<[ServingTensor], ServingError>, BatchOutcome) -> RowResult
  ) -> RowResult {
    if let deadline = request.request.deadline, deadline <= clock.now() {
      return .failure(ServingError(.deadlineExceeded, "The request's deadline passed while it waited."))
    }
    lock.lock()
    let isWanted = tickets[id] != nil
    lock.unlock()
    guard isWanted else { return .failure(ServingError(.cancelled, "The client went away.")) }
    do throws(ServingError) {
      let outcome = try predict([request], loaded, cancellation)
      return answer(outcome.rows[0], outcome)
    } catch { return .failure(error) }
  }

  /// One run. Reports it if it ended.
  func predict(
    _ requests: [PreparedRequest], _ loaded: Loaded, _ cancellation: Cancellation
  ) throws(ServingError) -> BatchOutcome {
    let result: Result<BatchOutcome, ServingError> = cancellation.during {
      do throws(ServingError) { return .success(try loaded.model.run(requests)) } catch { return .failure(error) }
    }
    let outcome = try result.get()
    guard outcome.rows.count == requests.count else {
      throw ServingError(.failed, "The model returned \(outcome.rows.count) rows for \(requests.count) requests.")
    }
    loaded.onRun(requests.count, outcome.times)
    return outcome
  }

  private func finish(_ batch: SchedulerState.Batch, _ results: [UInt64: RowResult], isMeasured: Bool) {
    lock.lock()
    state.finish(batch.number, isMeasured: isMeasured, now: clock.now())
    cancellations[batch.number] = nil
    let answered = batch.requests.compactMap { id in tickets.removeValue(forKey: id).map { (id, $0) } }
    lock.unlock()
    for (id, ticket) in answered {
      let lost = ServingError(.unavailable, "The model was unloaded.")
      ticket.reply.resume(returning: results[id] ?? .failure(lost))
    }
  }

  // MARK: short runs

  /// Runs a request on the calling thread if its model is idle and so fast that another thread would cost more than the
  /// run; otherwise returns nil.
  func runNow(_ request: PreparedRequest, on key: ModelKey) -> Result<ScheduledAnswer, ServingError>? {
    lock.lock()
    guard let loaded = models[key], request.bucket.sequence == nil, let queue = state.models[key],
      (queue.estimate.median ?? .infinity) < settings.inlineLimit, state.isIdle
    else {
      lock.unlock()
      return nil
    }
    let id = UInt64.max
    let now = clock.now()
    do throws(ServingError) {
      try state.submit(id, to: key, bucket: request.bucket, deadline: request.request.deadline, now: now)
    } catch {
      lock.unlock()
      return .failure(error)
    }
    guard let batch = state.next(now: now) else {
      _ = state.cancel(id)
      lock.unlock()
      return nil
    }
    let cancellation = Cancellation()
    cancellations[batch.number] = cancellation
    lock.unlock()
    let result: Result<BatchOutcome, ServingError>
    do throws(ServingError) { result = .success(try predict([request], loaded, cancellation)) } catch {
      result = .failure(error)
    }
    lock.lock()
    var isMeasured = false
    if case .success = result { isMeasured = true }
    state.finish(batch.number, isMeasured: isMeasured, now: clock.now())
    cancellations[batch.number] = nil
    let mayStart = state.canStart
    if mayStart { lock.signal() }
    lock.unlock()
    return result.flatMap { outcome in
      outcome.rows[0].map {
        ScheduledAnswer(outputs: $0, queued: .zero, times: outcome.times, batchSize: 1)
      }
    }
  }
}
