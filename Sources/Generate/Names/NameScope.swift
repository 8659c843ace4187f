/// The names of one scope: all are distinct, and none is reserved in the language.
struct NameScope {
  private var taken: Set<String>
  /// By name: the number of the first variant that was not tried. Earlier variants never become free, so many features
  /// with one name do not search from the start.
  private var unseen: [String: Int] = [:]

  /// - Parameter reserved: Names that features cannot have: members and types that the generated code uses.
  init(reserved: Set<String>) {
    taken = reserved
  }

  /// The first variant of the name that is free.
  ///
  /// - Parameter isRefused: An additional condition. A refusal is permanent.
  mutating func take(_ name: String, unless isRefused: (String) -> Bool = { _ in false }) -> String {
    var number = unseen[name] ?? 1
    var form = Self.form(number, of: name)
    while isRefused(form) || !taken.insert(form).inserted {
      number += 1
      form = Self.form(number, of: name)
    }
    unseen[name] = number + 1
    return form
  }

  /// `a`, `a_`, `a__`, `a_4`, `a_5`: names stay short for any number of variants.
  private static func form(_ number: Int, of name: String) -> String {
    number > 3 ? "\(name)_\(number)" : name + String(repeating: "_", count: number - 1)
  }

  /// Names of features, in order.
  mutating func take(_ features: [ModelFeature]) -> [NamedFeature] {
    features.map { NamedFeature($0, take(Identifier.of($0.name))) }
  }
}

/// A feature and its name in the generated code.
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
