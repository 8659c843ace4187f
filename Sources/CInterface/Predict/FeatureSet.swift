import CoreMLRuntime

/// Values by name, in insertion order.
struct FeatureSet: @unchecked Sendable {
  private(set) var names: [String] = []
  private(set) var values: [String: ValueHandle] = [:]

  init() {}

  /// The outputs of a model that a provider has.
  init(_ provider: any MLFeatureProvider, outputs: [String]) {
    names.reserveCapacity(outputs.count)
    values.reserveCapacity(outputs.count)
    for name in outputs {
      guard let value = provider.featureValue(for: name) else { continue }
      if values.updateValue(ValueHandle(value), forKey: name) == nil { names.append(name) }
    }
  }

  mutating func set(_ name: String, _ value: ValueHandle?) {
    let before = value.map { values.updateValue($0, forKey: name) } ?? values.removeValue(forKey: name)
    if before == nil, value != nil { names.append(name) }
    if value == nil { names.removeAll { $0 == name } }
  }
}

/// A snapshot of a set's values for one call.
final class FeatureRow: MLFeatureProvider {
  let set: FeatureSet

  init(_ set: FeatureSet) { self.set = set }

  var featureNames: Set<String> { Set(set.names) }
  func featureValue(for featureName: String) -> MLFeatureValue? { set.values[featureName]?.value }
}
