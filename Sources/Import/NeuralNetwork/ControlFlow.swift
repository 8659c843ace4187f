import CoreMLSpec
import MIL

/// `branch`, `loopBreak` and `loopContinue`. Nested networks overwrite blobs; they become MIL's `cond`, which returns
/// the overwritten blobs.
///
/// A layer that ends the current iteration of a loop sets a flag. The layers after a branch that may do so run only
/// while the flag is not set.
extension NetworkImport {
  typealias Layers = ArraySlice<Specification.NeuralNetworkLayer>

  /// The flags of the innermost loop. They are stored as blobs so that branches return them. No layer can have their
  /// names.
  enum Flag: String, CaseIterable {
    /// The current iteration has ended.
    case stop = "\0stop"
    /// The loop has ended.
    case end = "\0end"
  }

  mutating func branch(_ params: Specification.BranchLayerParams) throws {
    let first = Array(try required(params.ifBranch, "ifBranch").layers)[...]
    let second = Array(try params.elseBranch?.layers ?? Specification.NeuralNetwork().layers)[...]
    let isTrue = try isNotZero(input(0))
    try conditional(isTrue, first, second)
  }

  mutating func loopBreak() throws {
    try interrupt([.stop, .end])
  }

  mutating func loopContinue() throws {
    try interrupt([.stop])
  }

  private mutating func interrupt(_ flags: [Flag]) throws {
    guard blobs[Flag.stop.rawValue] != nil else { throw error(.invalidModel, "is not in a loop's body") }
    for flag in flags { raise(flag, to: 1) }
  }

  mutating func raise(_ flag: Flag, to value: Float) {
    define(flag.rawValue, Blob(full: builder.constant(.float32(value), named: "flag"), merged: nil))
  }

  /// Lowers the layers after one that may have ended the iteration.
  mutating func lowerUnlessStopped(_ layers: Layers, _ flag: Flag = .stop) throws {
    guard !layers.isEmpty, let value = blobs[flag.rawValue]?.full else { return }
    try conditional(emit("equal", ["x": .name(value), "y": .float(0)]), layers, [])
  }

  /// Converts a blob with one number to a boolean: its absolute value is more than 1e-6. If there are several numbers,
  /// the first is used. The format does not describe that case, but coremltools' tests contain it.
  mutating func isNotZero(_ value: String) throws -> String {
    var value = value
    if let count = try builder.tensorType(of: value).elementCount, count > 1 {
      value = try emit("slice_by_size", ["x": .name(reshape(value, [-1])), "begin": .ints([0]), "size": .ints([1])])
    }
    let size = try emit("abs", ["x": .name(value)])
    let test = try emit("greater", ["x": .name(size), "y": .float(1e-6)])
    let rank = try rank(test)
    return try rank == 0 ? test : emit("squeeze", ["x": .name(test), "axes": .ints(Array(0..<rank))])
  }

  /// Lowers two lists of layers as the blocks of a `cond`. The `cond` returns the blobs that either block writes and a
  /// later layer reads, if both blocks have them with the same rank. Other blobs become undefined. If the condition is
  /// a constant, only the selected layers are lowered.
  private mutating func conditional(_ pred: String, _ first: Layers, _ second: Layers) throws {
    if let tensor = known(pred), tensor.count == 1, let isTrue = try tensor.doubles().first {
      try lower(isTrue != 0 ? first : second)
      return
    }
    var written = try Self.written(first).union(Self.written(second))
    if blobs[Flag.stop.rawValue] != nil { written.formUnion(Flag.allCases.map(\.rawValue)) }
    let names = written.sorted().filter { $0.hasPrefix("\0") || isRead($0) }
    let ways = try [first, second].map { layers in
      try nested { network in
        try network.lower(layers)
        return try network.finished(names)
      }
    }
    let shared = names.filter { name in
      guard let a = ways[0].types[name], let b = ways[1].types[name] else { return false }
      return a.rank == b.rank
    }
    for name in written { define(name, Blob()) }
    guard !shared.isEmpty else { return }
    let blocks = ways.map { way in
      Block(operations: way.operations, outputs: shared.compactMap { way.values[$0] })
    }
    let results = try emit("cond", all: ["pred": [.name(pred)]], blocks: blocks)
    for (name, result) in zip(shared, results) { define(name, Blob(full: result, merged: nil)) }
  }

  /// The result of lowering a nested network.
  struct Nested {
    var operations: [Operation]
    var values: [String: String] = [:]
    var types: [String: TensorType] = [:]
  }

  /// The operations so far and the current values of blobs. Each value gets its own operation, because a block can only
  /// return values that it defines.
  mutating func finished(_ names: [String]) throws -> Nested {
    var result = Nested(operations: [])
    for name in names {
      guard let blob = blobs[name], blob.full != nil || blob.merged != nil else { continue }
      let value = try full(blob, named: name)
      let own = try builder.add("identity", ["x": .name(value)], named: "result")
      result.values[name] = own
      result.types[name] = try builder.tensorType(of: own)
    }
    result.operations = builder.operations
    return result
  }

  // MARK: names that layers read and write

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
