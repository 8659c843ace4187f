/// Rows of features.
public protocol MLBatchProvider {
  var count: Int { get }
  func features(at index: Int) -> any MLFeatureProvider
}
