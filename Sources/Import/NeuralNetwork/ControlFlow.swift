import CoreMLSpec
import MIL

/// `branch`, `loopBreak` and `loopContinue`. Nested networks overwrite blobs; they become MIL's `cond`, which returns
/// the overwritten blobs.
///
/// A layer that ends the current iteration of a loop sets a flag. The layers after a branch that may do so run only
/// while the flag is not set.
struct BranchLayers {
  let network: NetworkImport
  private var graph: NetworkGraph { network.graph }

  /// The flags of the innermost loop. They are stored as blobs so that branches return them. No layer can have their
  /// names.
  enum Flag: String, CaseIterable {
    /// The current iteration has ended.
    case stop = "\0stop"
    /// The loop has ended.
    case end = "\0end"
  }

  func branch(_ params: Specification.BranchLayerParams) throws {
    let first = Array(try graph.required(params.ifBranch, "ifBranch").layers)[...]
    let second = Array(try params.elseBranch?.layers ?? Specification.NeuralNetwork().layers)[...]
    let isTrue = try isNotZero(graph.input(0))
    try conditional(isTrue, first, second)
  }

  func loopBreak() throws {
    try interrupt([.stop, .end])
  }

  func loopContinue() throws {
    try interrupt([.stop])
  }

  private func interrupt(_ flags: [Flag]) throws {
    guard graph.blobs[Flag.stop.rawValue] != nil else { throw graph.error(.invalidModel, "is not in a loop's body") }
    for flag in flags { raise(flag, to: 1) }
  }

  func raise(_ flag: Flag, to value: Float) {
    graph.define(flag.rawValue, Blob(full: graph.builder.constant(.float32(value), named: "flag"), merged: nil))
  }

  /// Lowers the layers after one that may have ended the iteration.
  func lowerUnlessStopped(_ layers: NetworkImport.Layers, _ flag: Flag = .stop) throws {
    guard !layers.isEmpty, let value = graph.blobs[flag.rawValue]?.full else { return }
    try conditional(graph.emit("equal", ["x": .name(value), "y": .float(0)]), layers, [])
  }

  /// Converts a blob with one number to a boolean: its absolute value is more than 1e-6. If there are several numbers,
  /// the first is used. The format does not describe that case, but coremltools' tests contain it.
  func isNotZero(_ value: String) throws -> String {
    var value = value
    if let count = try graph.builder.tensorType(of: value).elementCount, count > 1 {
      value = try graph.emit(
        "slice_by_size", ["x": .name(graph.reshape(value, [-1])), "begin": .ints([0]), "size": .ints([1])])
    }
    let size = try graph.emit("abs", ["x": .name(value)])
    let test = try graph.emit("greater", ["x": .name(size), "y": .float(1e-6)])
    let rank = try graph.rank(test)
    return try rank == 0 ? test : graph.emit("squeeze", ["x": .name(test), "axes": .ints(Array(0..<rank))])
  }

  /// Lowers two lists of layers as the blocks of a `cond`. The `cond` returns the blobs that either block writes and a
  /// later layer reads, if both blocks have them with the same rank. Other blobs become undefined. If the condition is
  /// a constant, only the selected layers are lowered.
  private func conditional(_ pred: String, _ first: NetworkImport.Layers, _ second: NetworkImport.Layers) throws {
    if let tensor = graph.known(pred), tensor.count == 1, let isTrue = try tensor.doubles().first {
      try network.lower(isTrue != 0 ? first : second)
      return
    }
    var written = try NestedLayers.written(first).union(NestedLayers.written(second))
    if graph.blobs[Flag.stop.rawValue] != nil { written.formUnion(Flag.allCases.map(\.rawValue)) }
    let names = written.sorted().filter { $0.hasPrefix("\0") || network.isRead($0) }
    let ways = try [first, second].map { layers in
      try network.nested {
        try network.lower(layers)
        return try finished(names)
      }
    }
    let shared = names.filter { name in
      guard let a = ways[0].types[name], let b = ways[1].types[name] else { return false }
      return a.rank == b.rank
    }
    for name in written { graph.define(name, Blob()) }
    guard !shared.isEmpty else { return }
    let blocks = ways.map { way in
      Block(operations: way.operations, outputs: shared.compactMap { way.values[$0] })
    }
    let results = try graph.emit("cond", all: ["pred": [.name(pred)]], blocks: blocks)
    for (name, result) in zip(shared, results) { graph.define(name, Blob(full: result, merged: nil)) }
  }

  /// The result of lowering a nested network.
  struct Nested {
    var operations: [Operation]
    var values: [String: String] = [:]
    var types: [String: TensorType] = [:]
  }

  /// The operations so far and the current values of blobs. Each value gets its own operation, because a block can only
  /// return values that it defines.
  func finished(_ names: [String]) throws -> Nested {
    var result = Nested(operations: [])
    for name in names {
      guard let blob = graph.blobs[name], blob.full != nil || blob.merged != nil else { continue }
      let value = try graph.full(blob, named: name)
      let own = try graph.builder.add("identity", ["x": .name(value)], named: "result")
      result.values[name] = own
      result.types[name] = try graph.builder.tensorType(of: own)
    }
    result.operations = graph.builder.operations
    return result
  }
}
