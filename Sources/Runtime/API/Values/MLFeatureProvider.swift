/// Something that gives feature values by name.
public protocol MLFeatureProvider: AnyObject {
  /// The names of all values that there are.
  var featureNames: Set<String> { get }
  /// The value of a feature; nil where there is none.
  func featureValue(for featureName: String) -> MLFeatureValue?
}
