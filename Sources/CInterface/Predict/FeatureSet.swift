import CoreMLRuntime

/// Values by name, in an order.
struct FeatureSet: @unchecked Sendable {
  private(set) var names: [String] = []
  private(set) var values: [String: ValueHandle] = [:]

  init() {}

  /// What a provider has, in the order of a model's features; what the model does not know comes last, by name.
  init(_ provider: any MLFeatureProvider, order: [String]) {
    var rest = provider.featureNames
    for name in order where rest.remove(name) != nil { add(name, provider) }
    for name in rest.sorted() { add(name, provider) }
  }

  private mutating func add(_ name: String, _ provider: any MLFeatureProvider) {
    if let value = provider.featureValue(for: name) { set(name, ValueHandle(value)) }
  }

  mutating func set(_ name: String, _ value: ValueHandle?) {
    let before = value.map { values.updateValue($0, forKey: name) } ?? values.removeValue(forKey: name)
    if before == nil, value != nil { names.append(name) }
    if value == nil { names.removeAll { $0 == name } }
  }
}

/// The values of a set, as they were when a call was made of them.
final class FeatureRow: MLFeatureProvider {
  let set: FeatureSet

  init(_ set: FeatureSet) { self.set = set }

  var featureNames: Set<String> { Set(set.names) }
  func featureValue(for featureName: String) -> MLFeatureValue? { set.values[featureName]?.value }
}
