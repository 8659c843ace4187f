import CoreMLSpec

/// What layers and their nested networks read, write and may do.
enum NestedLayers {
  /// The names that the layers and their nested networks write.
  static func written(_ layers: some Sequence<Specification.NeuralNetworkLayer>) throws -> Set<String> {
    var names: Set<String> = []
    for layer in layers {
      names.formUnion(try layer.output)
      for network in try networks(in: layer) { names.formUnion(try written(network.layers)) }
    }
    return names
  }

  static func read(_ layer: Specification.NeuralNetworkLayer) throws -> Set<String> {
    var names = Set(try layer.input)
    if case .loop(let params) = try layer.layer { names.insert(try params.conditionVar) }
    for network in try networks(in: layer) {
      for inner in try network.layers { names.formUnion(try read(inner)) }
    }
    return names
  }

  /// The number of layers, including those of nested networks.
  static func count(of layers: some Sequence<Specification.NeuralNetworkLayer>) throws -> Int {
    try layers.reduce(0) { sum, layer in try networks(in: layer).reduce(sum + 1) { try $0 + count(of: $1.layers) } }
  }

  private static func networks(in layer: Specification.NeuralNetworkLayer) throws -> [Specification.NeuralNetwork] {
    switch try layer.layer {
    case .branch(let params): [try params.ifBranch, try params.elseBranch].compactMap { $0 }
    case .loop(let params): [try params.conditionNetwork, try params.bodyNetwork].compactMap { $0 }
    default: []
    }
  }

  /// Whether a layer may end the current iteration of the enclosing loop.
  static func mayStop(_ kind: Specification.NeuralNetworkLayer.OneOfLayer) throws -> Bool {
    switch kind {
    case .loopBreak, .loopContinue: return true
    case .branch(let params):
      return try [params.ifBranch, params.elseBranch].contains { network in
        try network?.layers.contains { layer in try layer.layer.map { try mayStop($0) } ?? false } ?? false
      }
    default: return false
    }
  }
}
