import CoreMLRuntime
import Foundation

/// Trains a model: reads the compiled model at `start` and writes the trained, compiled model to the private path
/// `target`, where nothing exists yet. If it throws, nothing changes.
public typealias Personalisation = @Sendable (_ start: URL, _ target: URL) async throws -> Void

/// What happens to a personalised model when its base model is replaced.
public enum RebasePolicy: Sendable {
  /// It stays in use; its record keeps the digest of its base.
  case keep
  /// It is retrained on the new base and stays in use until the new model is complete. If the training fails, it stays
  /// in use and the failure is reported (`delivery.retraining-failed`).
  case retrain(Personalisation)
  /// The new base is used without personalisation. The personalised model is removed once the new base is proven. If
  /// the base is rolled back before, the personalised model is used again.
  case discard

  /// Retrains with an update task on examples that the program has stored.
  ///
  /// - Parameters:
  ///   - examples: returns feature providers with the model's training inputs; called when the training begins.
  ///   - configuration: its parameters override those of the model.
  public static func retrain(
    on examples: @escaping @Sendable () throws -> any MLBatchProvider,
    configuration: @escaping @Sendable () -> MLModelConfiguration = { MLModelConfiguration() }
  ) -> RebasePolicy {
    .retrain { start, target in
      try await train(start, examples(), configuration(), writingTo: target)
    }
  }

  private static func train(
    _ start: URL, _ examples: any MLBatchProvider, _ configuration: MLModelConfiguration, writingTo target: URL
  ) async throws {
    let (ends, end) = AsyncThrowingStream.makeStream(of: Void.self)
    let task = try MLUpdateTask(
      forModelAt: start, trainingData: examples, configuration: configuration,
      completionHandler: { context in
        do {
          if let error = context.task.error { throw error }
          try context.model.write(to: target)
          end.finish()
        } catch { end.finish(throwing: error) }
      })
    task.resume()
    // A cancelled training is awaited as well, because it may still be writing.
    let ended = Task { for try await _ in ends {} }
    do {
      try await withTaskCancellationHandler {
        try await ended.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      try Task.checkCancellation()
      throw error
    }
  }
}
