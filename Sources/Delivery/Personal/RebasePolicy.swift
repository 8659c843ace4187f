import CoreMLRuntime
import Foundation

/// Trains a model: reads the compiled model at `start` and writes the trained one, compiled, to `target`, a private place where nothing
/// stands. What it throws leaves everything as it was.
public typealias Personalisation = @Sendable (_ start: URL, _ target: URL) async throws -> Void

/// What becomes of a personalised model when the model that it was trained from gives way to another.
public enum RebasePolicy: Sendable {
  /// It stays in use; what it was trained from is noted with it.
  case keep
  /// It is trained anew on the new base, and the old one stays in use until the new one is complete. A training that fails leaves the old
  /// one in use and is told (`delivery.retraining-failed`).
  case retrain(Personalisation)
  /// The new base is used as it is. The personalised model is removed when the new base has proved itself: if that is taken back before,
  /// the personalised one is in use again.
  case discard

  /// Trains anew on examples that the program has stored, with an update task.
  ///
  /// - Parameters:
  ///   - examples: feature providers with the model's training inputs; asked for when the training begins.
  ///   - configuration: its parameters take the place of the model's.
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
    // Also a training that was cancelled is waited for: it may be writing.
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
