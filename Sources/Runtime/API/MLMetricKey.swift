/// A figure that training reports.
public final class MLMetricKey: MLKey, @unchecked Sendable {
  public static let lossValue = MLMetricKey("lossValue")
  public static let epochIndex = MLMetricKey("epochIndex")
  public static let miniBatchIndex = MLMetricKey("miniBatchIndex")
}
