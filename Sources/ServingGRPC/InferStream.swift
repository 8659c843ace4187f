import CoreMLServingInterface
import CoreMLServingWire
import GRPCCore

/// `ModelStreamInfer`: any number of requests. Answers keep the order of the requests.
///
/// Several requests wait or run at the same time, so that they can share a batch. A request of a sequence starts after
/// the requests before it have ended. A failed request is answered with `error_message`, and the stream goes on.
struct InferStream: Sendable {
  let call: InferCall
  let limit: Int

  func answer(_ stream: StreamingServerRequest<ReadRequest>) -> StreamingServerResponse<InferAnswerWriter> {
    var wanted = stream.metadata[stringValues: "triton_grpc_error"].makeIterator()
    let endsAtError = wanted.next() == "true"
    let caller = Caller(
      deadline: InferCall.deadline(stream.metadata), owner: Authorization.owner(stream.metadata))
    return StreamingServerResponse { writer in
      let window = StreamWindow(limit)
      let (tasks, feed) = AsyncStream<Task<Outcome, Never>>.makeStream()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          defer { feed.finish() }
          try await read(stream.messages, caller, window, feed)
        }
        do {
          for await task in tasks {
            let outcome = await withTaskCancellationHandler {
              await task.value
            } onCancel: {
              task.cancel()
            }
            if endsAtError, let error = outcome.error { throw error }
            try await writer.write(outcome.writer)
            await window.leave()
          }
        } catch {
          // The client went away, or the stream ends at its first error.
          feed.finish()
          group.cancelAll()
          await window.close()
          for await task in tasks { task.cancel() }
          throw error
        }
        try await group.waitForAll()
      }
      return [:]
    }
  }

  private struct Caller: Sendable {
    let deadline: ContinuousClock.Instant?
    let owner: String?
  }

  private struct Outcome: Sendable {
    let writer: InferAnswerWriter
    var error: ServingError?
  }

  private func read(
    _ messages: RPCAsyncSequence<ReadRequest, any Error>, _ caller: Caller, _ window: StreamWindow,
    _ feed: AsyncStream<Task<Outcome, Never>>.Continuation
  ) async throws {
    var last: Task<Outcome, Never>?
    for try await message in messages {
      guard await window.enter() else { return }
      let before = last
      let task = Task { await outcome(message, caller, after: before) }
      last = task
      feed.yield(task)
    }
  }

  private func outcome(
    _ message: ReadRequest, _ caller: Caller, after before: Task<Outcome, Never>?
  ) async -> Outcome {
    var model = ""
    do throws(ServingError) {
      let request = try message.result.get()
      model = request.model
      if request.sequence != nil { _ = await before?.value }
      let answer = try await call.run(request, deadline: caller.deadline, owner: caller.owner)
      return Outcome(writer: InferAnswerWriter(stream: answer))
    } catch {
      return Outcome(
        writer: InferAnswerWriter(error: error.message, model: model, version: nil, id: message.id), error: error)
    }
  }
}

/// How many requests of a stream are under way. One reader enters; one writer leaves.
private actor StreamWindow {
  private var free: Int
  private var waiter: CheckedContinuation<Bool, Never>?
  private var isClosed = false

  init(_ limit: Int) { free = max(limit, 1) }

  /// Waits for a place; false if the stream is over.
  func enter() async -> Bool {
    guard !isClosed else { return false }
    if free > 0 {
      free -= 1
      return true
    }
    return await withCheckedContinuation { waiter = $0 }
  }

  func leave() {
    if let waiter {
      self.waiter = nil
      waiter.resume(returning: true)
    } else {
      free += 1
    }
  }

  func close() {
    isClosed = true
    waiter?.resume(returning: false)
    waiter = nil
  }
}
