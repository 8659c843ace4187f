import CoreMLBase
import Foundation
import MIL

/// Trains an updatable compiled model on examples, on a thread of its own; the model that it was made from stays as it is.
///
/// Examples are feature providers with the model's training inputs (`MLModelDescription.trainingInputDescriptionsByName`): they are
/// asked for when their mini-batch comes, and not kept, so a batch provider may be larger than memory.
// Sendable: what changes is behind locks
open class MLUpdateTask: MLTask, @unchecked Sendable {
  private let run: UpdateRun
  /// Let go at the end: what they keep may be a context, and so this task. Only the task's thread reads and changes it.
  private var handlers: MLUpdateProgressHandlers?

  /// A task that tells of the training as it goes on; it begins with `resume()`.
  ///
  /// - Parameters:
  ///   - modelURL: a compiled model (`.mlmodelc`) that is updatable.
  ///   - trainingData: at least one example.
  ///   - configuration: its `parameters` take the place of the model's defaults, within the ranges that the model allows.
  /// - Throws: `MLModelError`: `update` where the model cannot be trained or there are no examples, `parameters` where a parameter is
  ///   unknown to the model or not allowed by it, `io` where the model cannot be read.
  public init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, configuration: MLModelConfiguration?,
    progressHandlers: MLUpdateProgressHandlers
  ) throws {
    handlers = progressHandlers
    run = try UpdateRun(
      modelAt: modelURL, data: trainingData, configuration: configuration ?? MLModelConfiguration())
    super.init()
  }

  /// A task that tells only of its end: `completionHandler` is called once, when it has completed or failed.
  ///
  /// - Throws: `MLModelError`, as `init(forModelAt:trainingData:configuration:progressHandlers:)` does.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, configuration: MLModelConfiguration?,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: configuration,
      progressHandlers: MLUpdateProgressHandlers(
        forEvents: [], progressHandler: nil, completionHandler: completionHandler))
  }

  /// A task with the model's own parameters, which tells of the training as it goes on.
  ///
  /// - Throws: `MLModelError`, as `init(forModelAt:trainingData:configuration:progressHandlers:)` does.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil, progressHandlers: progressHandlers)
  }

  /// A task with the model's own parameters, which tells only of its end: `completionHandler` is called once, when it has completed or failed.
  ///
  /// - Throws: `MLModelError`, as `init(forModelAt:trainingData:configuration:progressHandlers:)` does.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil, completionHandler: completionHandler)
  }

  /// Changes parameters and starts the task where it has not begun. Those of a running task hold from its next mini-batch on; one that
  /// the model does not allow ends the task with an error.
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
    // A model that cannot be made fails the task; the one before the training could be made when the task was.
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
