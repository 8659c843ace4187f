import CoreMLBase
import CoreMLExecution
import Foundation

extension MLModel {
  /// Predicts without blocking the caller. Predictions wait for others of the model in order, and hold no thread while
  /// they wait. Cancelling the task ends the wait, or stops the prediction between operations.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = UncheckedSendable(input)
    let options = UncheckedSendable(options)
    return try await inTurn(options.value) {
      UncheckedSendable(try self.prediction(from: input.value, options: options.value))
    }.value
  }

  /// Predicts with a state without blocking the caller. Cancelling the task stops the prediction between operations.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = UncheckedSendable(input)
    let options = UncheckedSendable(options)
    return try await offCaller {
      UncheckedSendable(try self.prediction(from: input.value, using: state, options: options.value))
    }.value
  }

  /// Predicts in the background. The handler is called once, on a system queue, with the features or an error.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions(),
    completionHandler handler: @escaping ((any MLFeatureProvider)?, (any Error)?) -> Void
  ) {
    let (input, options) = (UncheckedSendable(input), UncheckedSendable(options))
    let outcome = UncheckedSendable(handler)
    Task.detached {
      let result: Result<any MLFeatureProvider, any Error>
      do {
        result = .success(try await self.prediction(from: input.value, options: options.value))
      } catch {
        result = .failure(error)
      }
      let told = UncheckedSendable(result)
      DispatchQueue.global().async { told.value.tell(outcome.value) }
    }
  }

  /// Waits for the model's turn without a thread, and then runs `body`, which predicts. The time limit of a prediction
  /// includes the wait.
  private func inTurn<Result: Sendable>(
    _ options: MLPredictionOptions, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    // Other models wait in their own code.
    guard let loaded, loaded.customModel == nil else { return try await offCaller(body) }
    let engine = options.usesCPUOnly ? loaded.cpuEngine : loaded.engine
    let cancellation = loaded.limits.predictionTime.map { Cancellation(after: $0, within: nil) } ?? Cancellation()
    return try await withTaskCancellationHandler {
      do {
        let turn = try await engine.turn(cancellation)
        return try await PredictionThreads.shared.run { try cancellation.during { try turn.run(body) } }
      } catch {
        return try MLModelError.wrapping(.generic) {
          throw Task.isCancelled ? error : loaded.limits.predictionError(error, endedBy: cancellation)
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}

/// Runs `body` on a thread of a system queue. `Cancellation` passes a task's cancellation on to it.
package func offCaller<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  let cancellation = Cancellation()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Swift.Result { try cancellation.during(body) })
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
}
