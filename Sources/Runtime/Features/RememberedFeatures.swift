/// Caches the values of a feature provider. A provider that decodes an image on access decodes it once, even if the
/// image is read several times. Not thread-safe.
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
