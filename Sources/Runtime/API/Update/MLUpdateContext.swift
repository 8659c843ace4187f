import Foundation

/// What a handler is told of a training at one moment.
// Sendable: immutable
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
  /// The model as the training has made it so far: it predicts, and can be written. After a failure it is the model before the training.
  public let model: any MLModel & MLWritable

  init(
    task: MLUpdateTask, event: MLUpdateProgressEvent, metrics: [MLMetricKey: Any], parameters: [MLParameterKey: Any],
    model: any MLModel & MLWritable
  ) {
    self.task = task
    self.event = event
    self.metrics = metrics
    self.parameters = parameters
    self.model = model
    super.init()
  }
}
