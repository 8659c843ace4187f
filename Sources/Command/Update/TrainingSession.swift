import CoreML
import CoreMLBase
import Foundation
import Synchronization

/// One update task with progress: loss is shown and recorded, and a signal cancels it.
final class TrainingSession: Sendable {
  /// The losses of a training, in order.
  struct Curve: Sendable {
    var steps: [Double] = []
    /// Means over the examples of each epoch.
    var epochs: [Double] = []
  }

  private let task: UncheckedSendable<MLUpdateTask>
  private let examples: UncheckedSendable<TrainingExamples>
  private let watch: Watch

  /// State that the task's handlers write.
  private final class Watch: Sendable {
    let curve = Mutex(Curve())
    let outcome = Mutex<Result<UncheckedSendable<MLModel>, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let bar = Mutex<ProgressBar?>(nil)
  }

  var curve: Curve { watch.curve.withLock { $0 } }

  init(modelAt url: URL, _ examples: TrainingExamples, _ configuration: MLModelConfiguration, output: URL) throws {
    let watch = Watch()
    let count = examples.count
    task = UncheckedSendable(
      try MLUpdateTask(
        forModelAt: url, trainingData: examples, configuration: configuration,
        progressHandlers: MLUpdateProgressHandlers(
          forEvents: [.trainingBegin, .miniBatchEnd, .epochEnd],
          progressHandler: { Self.progress($0, watch, count) },
          completionHandler: { context in
            watch.outcome.withLock { $0 = Result { try Self.finish(context, output) } }
            watch.done.signal()
          })))
    self.examples = UncheckedSendable(examples)
    self.watch = watch
  }

  private static func progress(_ context: MLUpdateContext, _ watch: Watch, _ count: Int) {
    func number(_ key: MLParameterKey) -> Int? {
      (context.parameters.first { $0.key.name == key.name }?.value as? NSNumber)?.intValue
    }
    let loss = context.metrics[.lossValue] as? Double
    switch context.event {
    case .trainingBegin:
      let size = max(1, number(.miniBatchSize) ?? 1)
      let steps = count / size + (count % size > 0 ? 1 : 0)
      let (total, overflow) = steps.multipliedReportingOverflow(by: number(.epochs) ?? 1)
      watch.bar.withLock { $0 = ProgressBar("Training", total: overflow ? nil : total) }
    case .miniBatchEnd:
      if let loss { watch.curve.withLock { $0.steps.append(loss) } }
      watch.bar.withLock { $0 }?.advance(remark: loss.map { String(format: "loss %.4g", $0) })
    case .epochEnd: if let loss { watch.curve.withLock { $0.epochs.append(loss) } }
    default: break
    }
  }

  private static func finish(_ context: MLUpdateContext, _ output: URL) throws -> UncheckedSendable<MLModel> {
    if let error = context.task.error { throw error }
    do { try context.model.write(to: output) } catch {
      throw Failure(.cannotWrite, Failure(error).sentence)
    }
    return UncheckedSendable(context.model)
  }

  /// Trains, writes and returns the trained model.
  func run() throws -> MLModel {
    defer { watch.bar.withLock { $0 = nil } }
    return try Interruption.shared.run { [self] in
      await withTaskCancellationHandler {
        task.value.resume()
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            self.watch.done.wait()
            continuation.resume()
          }
        }
      } onCancel: {
        task.value.cancel()
      }
      guard let outcome = watch.outcome.withLock({ $0 }) else { throw CancellationError() }
      // An unreadable row caused the failure, and its error is more specific.
      if case .failure = outcome, let failure = examples.value.failure { throw failure }
      return try outcome.get()
    }.value
  }
}
