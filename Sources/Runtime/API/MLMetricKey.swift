/// A metric that training reports.
public final class MLMetricKey: MLKey, @unchecked Sendable {
  /// The mean loss over the examples of the mini-batch; at the end of an epoch, over its examples. A `Double`.
  public static let lossValue = MLMetricKey("lossValue")
  /// The index of the epoch: an `Int`, from 0.
  public static let epochIndex = MLMetricKey("epochIndex")
  /// The index of the mini-batch in the epoch: an `Int`, from 0.
  public static let miniBatchIndex = MLMetricKey("miniBatchIndex")
}
