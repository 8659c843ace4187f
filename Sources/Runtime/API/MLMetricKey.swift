/// A figure that training reports.
public final class MLMetricKey: MLKey, @unchecked Sendable {
  /// The mean loss over the examples of the mini-batch, or of the epoch at its end: a `Double`.
  public static let lossValue = MLMetricKey("lossValue")
  /// Which epoch it is: an `Int`, from 0.
  public static let epochIndex = MLMetricKey("epochIndex")
  /// Which mini-batch of the epoch it is: an `Int`, from 0.
  public static let miniBatchIndex = MLMetricKey("miniBatchIndex")
}
