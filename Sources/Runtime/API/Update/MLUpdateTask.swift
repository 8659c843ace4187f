import CoreMLBase
import Foundation
import MIL

/// Trains an updatable compiled model on examples, on its own thread. The compiled model on disk is not changed.
///
/// Examples are feature providers with the model's training inputs
/// (`MLModelDescription.trainingInputDescriptionsByName`). The task requests them when their mini-batch starts and does
/// not keep them. So the data of a batch provider may be larger than memory.
// Sendable: locks guard the mutable state
open class MLUpdateTask: MLTask, @unchecked Sendable {
  private let run: UpdateRun
  /// Released at the end, because the handlers may retain a context and so this task. Only the task's thread accesses
  /// the property.
  private var handlers: MLUpdateProgressHandlers?

  /// Creates a task that reports progress. `resume()` starts it.
  ///
  /// - Parameters:
  ///   - modelURL: an updatable compiled model (`.mlmodelc`).
  ///   - trainingData: at least one example.
  ///   - configuration: its `parameters` override the model's defaults, within the ranges that the model allows.
  /// - Throws: `MLModelError` with one of these codes:
  ///   - `update` if the model cannot be trained, or if there are no examples
  ///   - `parameters` if the model does not have a parameter, or does not allow its value
  ///   - `io` if the model cannot be read
  public init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, configuration: MLModelConfiguration?,
    progressHandlers: MLUpdateProgressHandlers
  ) throws {
    handlers = progressHandlers
    run = try UpdateRun(
      modelAt: modelURL, data: trainingData, configuration: configuration ?? MLModelConfiguration())
    super.init()
  }

  /// Creates a task that reports only its end: `completionHandler` is called once, when the task has completed or
  /// failed.
  ///
  /// - Throws: `MLModelError`, like `init(forModelAt:trainingData:configuration:progressHandlers:)`.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, configuration: MLModelConfiguration?,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: configuration,
      progressHandlers: MLUpdateProgressHandlers(
        forEvents: [], progressHandler: nil, completionHandler: completionHandler))
  }

  /// Creates a task with the model's own parameters that reports progress.
  ///
  /// - Throws: `MLModelError`, like `init(forModelAt:trainingData:configuration:progressHandlers:)`.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil, progressHandlers: progressHandlers)
  }

  /// Creates a task with the model's own parameters that reports only its end: `completionHandler` is called once, when
  /// the task has completed or failed.
  ///
  /// - Throws: `MLModelError`, like `init(forModelAt:trainingData:configuration:progressHandlers:)`.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil, completionHandler: completionHandler)
  }

  /// Changes parameters, and starts the task if it has not started. In a running task they take effect from the next
  /// mini-batch on. A value that the model does not allow ends the task with an error.
  open func resume(withParameters updateParameters: [MLParameterKey: Any]) {
    run.change(updateParameters)
    resume()
  }

  override func start() {
    let thread = Thread { self.work() }
    thread.name = "coreml.update"
    thread.stackSize = 8 << 20
    thread.start()
  }

  private func work() {
    var failure: (any Error)?
    var metrics: [MLMetricKey: Any] = [:]
    do {
      try MLModelError.wrapping(.update) {
        try Cancellation(when: { self.state == .cancelling }).during {
          try run.callAsFunction { event, figures in
            metrics = figures
            guard let handlers, let progress = handlers.progress, handlers.events.contains(event) else { return }
            let context = try context(event, figures, made: run.updatedLater())
            progress(context)
            if let reason = context.reasonWithoutModel { throw reason }
          }
        }
      }
    } catch {
      failure = MLModelError.ofTraining(error)
    }
    // The task fails if the trained model cannot be created. The original model was created by the task's initializer.
    var model: UpdatedModel = run.original
    if failure == nil {
      do { model = try MLModelError.wrapping(.update) { try run.updated() } } catch { failure = error }
    }
    let completion = handlers?.completion
    handlers = nil
    finish(failure)
    completion?(context([], metrics) { model })
  }

  private func context(
    _ event: MLUpdateProgressEvent, _ metrics: [MLMetricKey: Any], made: @escaping () throws -> UpdatedModel
  ) -> MLUpdateContext {
    MLUpdateContext(
      task: self, event: event, metrics: metrics, parameters: run.parameters, made: made, otherwise: run.original)
  }
}
