import Foundation

/// What a handler is told of a training at one moment.
// Sendable: what changes is behind the lock
open class MLUpdateContext: NSObject, @unchecked Sendable {
  /// The task that calls.
  public let task: MLUpdateTask
  /// The moment; at the end of the training it is empty.
  public let event: MLUpdateProgressEvent
  /// `lossValue` (Double: the mean over the examples of the mini-batch, or of the epoch), `epochIndex` and `miniBatchIndex` (Int, from
  /// 0), as far as there are any at this moment.
  public let metrics: [MLMetricKey: Any]
  /// The parameters in force.
  public let parameters: [MLParameterKey: Any]
  /// The model as the training has made it by this moment: it predicts, and can be written. It is made when it is first asked for. After a
  /// failure, and where it cannot be made, it is the model before the training.
  public var model: any MLModel & MLWritable {
    if let made = lock.withLock({ made }) { return made }
    // Outside of the lock: layers and providers of the application may ask for it, too.
    let result = Result { try make() }
    return lock.withLock {
      if let made { return made }
      if case .failure(let error) = result { failure = error }
      let model = (try? result.get()) ?? original
      made = model
      return model
    }
  }

  /// Why the model could not be made, once it was asked for. The training fails with it.
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
