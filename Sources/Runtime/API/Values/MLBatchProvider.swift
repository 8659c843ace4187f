/// A batch of feature providers.
public protocol MLBatchProvider: AnyObject {
  /// The number of elements.
  var count: Int { get }
  /// The element at an index, from 0.
  func features(at index: Int) -> any MLFeatureProvider
}
