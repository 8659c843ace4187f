/// Names of one scope of a language: no two are alike, and none means something else there.
struct NameScope {
  private var taken: Set<String>

  /// - Parameter reserved: what features cannot be called: members and types that the code uses beside them.
  init(reserved: Set<String>) {
    taken = reserved
  }

  /// The name, with underscores behind it until nobody else has it.
  mutating func take(_ name: String) -> String {
    var name = name
    while !taken.insert(name).inserted { name += "_" }
    return name
  }

  /// Names of features, in their order.
  mutating func take(_ features: [ModelFeature]) -> [NamedFeature] {
    features.map { NamedFeature($0, take(Identifier.of($0.name))) }
  }
}

/// A feature and what it is called in the code.
struct NamedFeature {
  let feature: ModelFeature
  let identifier: String

  init(_ feature: ModelFeature, _ identifier: String) {
    self.feature = feature
    self.identifier = identifier
  }

  var kind: FeatureKind { feature.kind }
  var isOptional: Bool { feature.isOptional }
}
