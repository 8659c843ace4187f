/// Provides feature values by name.
public protocol MLFeatureProvider: AnyObject {
  /// The names of all features that have a value.
  var featureNames: Set<String> { get }
  /// The value of a feature; nil if there is none.
  func featureValue(for featureName: String) -> MLFeatureValue?
}
