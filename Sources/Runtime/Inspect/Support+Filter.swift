/// Searching by name.
extension Support {
  /// Returns the entries whose name contains `part`; all entries if `part` is nil.
  package func filtered(_ part: String?) -> Support {
    guard let part = part?.lowercased() else { return self }
    func has(_ name: String) -> Bool { name.lowercased().contains(part) }
    var found = self
    for list in Self.features { found[keyPath: list] = self[keyPath: list].filter { has($0.name) } }
    found.operations = operations.filter { has($0.name) }
    found.ownOperations = ownOperations.filter { has($0.name) }
    found.dataTypes = dataTypes.filter { has($0.name) }
    return found
  }

  package var isEmpty: Bool { runs.isEmpty }
  package var runsAnything: Bool { runs.contains(true) }

  private var runs: [Bool] {
    Self.features.flatMap { self[keyPath: $0].map(\.runs) } + (operations + ownOperations).map(\.runs)
      + dataTypes.map(\.runs)
  }

  private static var features: [WritableKeyPath<Support, [Feature]>] {
    [\.containers, \.modelTypes, \.featureTypes, \.preprocessors, \.layers, \.activations, \.compiledLayers]
  }
}
