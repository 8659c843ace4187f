/// Rows of features.
public protocol MLBatchProvider: AnyObject {
  /// How many rows there are.
  var count: Int { get }
  /// A row, counted from 0.
  func features(at index: Int) -> any MLFeatureProvider
}
