import Foundation

/// The information that a handler gets about a training at one event.
// Sendable: a lock guards the mutable state
open class MLUpdateContext: NSObject, @unchecked Sendable {
  /// The task that calls the handler.
  public let task: MLUpdateTask
  /// The event; empty at the end of the training.
  public let event: MLUpdateProgressEvent
  /// The metrics available at this event: `lossValue` (Double: the mean over the examples of the mini-batch or epoch),
  /// `epochIndex` and `miniBatchIndex` (Int, from 0).
  public let metrics: [MLMetricKey: Any]
  /// The parameters in effect.
  public let parameters: [MLParameterKey: Any]
  /// The model with the parameters trained so far. It can predict and can be written. It is created at the first
  /// access. If training failed, or if the model cannot be created, this is the model before training.
  public var model: any MLModel & MLWritable {
    if let made = lock.withLock({ made }) { return made }
    // Created outside the lock, because custom layers and providers of the application may access this property too.
    let result = Result { try make() }
    return lock.withLock {
      if let made { return made }
      if case .failure(let error) = result { failure = error }
      let model = (try? result.get()) ?? original
      made = model
      return model
    }
  }

  /// Why the model could not be created, after the first access. The training fails with this error.
  var reasonWithoutModel: (any Error)? { lock.withLock { failure } }

  private let lock = NSLock()
  private let original: UpdatedModel
  private let make: () throws -> UpdatedModel
  private var made: UpdatedModel?
  private var failure: (any Error)?

  init(
    task: MLUpdateTask, event: MLUpdateProgressEvent, metrics: [MLMetricKey: Any], parameters: [MLParameterKey: Any],
    made: @escaping () throws -> UpdatedModel, otherwise original: UpdatedModel
  ) {
    self.task = task
    self.event = event
    self.metrics = metrics
    self.parameters = parameters
    (make, self.original) = (made, original)
    super.init()
  }
}
