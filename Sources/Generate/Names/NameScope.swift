/// Names of one scope of a language: no two are alike, and none means something else there.
struct NameScope {
  private var taken: Set<String>
  /// By name: the number of the first form of it that was not looked at yet. None before it becomes free again, so that many features of one
  /// name are not each looked for from the beginning.
  private var unseen: [String: Int] = [:]

  /// - Parameter reserved: what features cannot be called: members and types that the code uses beside them.
  init(reserved: Set<String>) {
    taken = reserved
  }

  /// The first form of the name that nobody else has.
  ///
  /// - Parameter isRefused: what else speaks against a form. What is refused once always is.
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

  /// `a`, `a_`, `a__`, `a_4`, `a_5`: names stay short however many there are.
  private static func form(_ number: Int, of name: String) -> String {
    number > 3 ? "\(name)_\(number)" : name + String(repeating: "_", count: number - 1)
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
