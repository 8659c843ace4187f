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
    lock.withLock {
      if let made { return made }
      let model = (try? make?()) ?? original
      (made, make) = (model, nil)
      return model
    }
  }

  private let lock = NSLock()
  private let original: UpdatedModel
  private var make: (() throws -> UpdatedModel)?
  private var made: UpdatedModel?

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
