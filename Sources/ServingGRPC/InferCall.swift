import CoreMLServingInterface
import CoreMLServingWire
import GRPCCore

/// `ModelInfer`: one request and its answer.
struct InferCall: Sendable {
  let service: any InferenceService
  let load: Load

  func answer(_ stream: StreamingServerRequest<ReadRequest>) async throws -> StreamingServerResponse<InferAnswerWriter>
  {
    let call = try await ServerRequest(stream: stream)
    let request = try call.message.result.get()
    let answer = try await run(
      request, deadline: Self.deadline(call.metadata), owner: Authorization.owner(call.metadata))
    return StreamingServerResponse(single: ServerResponse(message: InferAnswerWriter(answer)))
  }

  /// Runs a request in a task that ends when the client cancels the call or goes away.
  ///
  /// - Parameters:
  ///   - deadline: that of the call, if it has one. The earlier one counts.
  ///   - owner: tells sequences of different tokens apart; nil for a call without a token.
  func run(
    _ original: InferenceRequest, deadline: ContinuousClock.Instant?, owner: String?
  ) async throws(ServingError) -> InferenceAnswer {
    var request = original
    if let owner, let id = request.sequence?.id { request.sequence?.id = "\(owner)/\(id)" }
    if let deadline { request.deadline = min(deadline, request.deadline ?? deadline) }
    load.begin()
    defer { load.end() }
    let task = Task { [service, request] in
      await Result { () async throws(ServingError) in try await service.infer(request) }
    }
    let result = await withTaskCancellationHandler {
      await withRPCCancellationHandler {
        await task.value
      } onCancelRPC: { [load] in
        // The library also calls this when the server drains. The requests that run then end as usual.
        if !load.isDraining { task.cancel() }
      }
    } onCancel: {
      task.cancel()
    }
    do throws(ServingError) {
      return try result.get()
    } catch {
      // The library cancels a call when its time is over.
      guard error.code == .cancelled, let deadline = request.deadline, deadline <= .now else { throw error }
      throw ServingError(.deadlineExceeded, "The time of the request was over before its answer.")
    }
  }

  /// The deadline of a call with the metadata `grpc-timeout`: up to eight digits and a unit.
  static func deadline(_ metadata: Metadata) -> ContinuousClock.Instant? {
    var iterator = metadata[stringValues: "grpc-timeout"].makeIterator()
    guard let text = iterator.next(), text.count <= 9, let unit = text.last, let count = Int64(text.dropLast()),
      count >= 0
    else { return nil }
    switch unit {
    case "H": return .now + .seconds(count * 3600)
    case "M": return .now + .seconds(count * 60)
    case "S": return .now + .seconds(count)
    case "m": return .now + .milliseconds(count)
    case "u": return .now + .microseconds(count)
    case "n": return .now + .nanoseconds(count)
    default: return nil
    }
  }
}

extension Result where Failure == ServingError {
  /// The result of an async body.
  init(_ body: () async throws(ServingError) -> Success) async {
    do throws(ServingError) { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
