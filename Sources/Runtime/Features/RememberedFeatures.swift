/// Features that ask their provider for each value once: a picture that it decodes when asked is decoded once, however often it is read.
/// For one thread.
final class RememberedFeatures: MLFeatureProvider {
  let provider: any MLFeatureProvider
  private var values: [String: MLFeatureValue?] = [:]

  init(_ provider: any MLFeatureProvider) { self.provider = provider }

  var featureNames: Set<String> { provider.featureNames }

  func featureValue(for featureName: String) -> MLFeatureValue? {
    if let known = values[featureName] { return known }
    let value = provider.featureValue(for: featureName)
    values[featureName] = .some(value)
    return value
  }
}
