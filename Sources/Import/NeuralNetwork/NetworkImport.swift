import CoreMLBase
import CoreMLSpec
import MIL

/// Lowers a NeuralNetwork, layer by layer, to MIL operations. Where MIL has no equivalent, it uses this runtime's `nn.`
/// operations.
///
/// Each family of layers is a type with a file of its own; `Layers.swift` maps each kind to its method.
final class NetworkImport {
  typealias Layers = ArraySlice<Specification.NeuralNetworkLayer>

  let graph = NetworkGraph()
  private(set) var depth = 0
  private var readers: [Readers] = []
  /// Whether the model can be trained; then weights that the file marks become parameters.
  private let isUpdatable: Bool

  init(isUpdatable: Bool = false) { self.isUpdatable = isUpdatable }

  static let maximumDepth = 32

  /// A loop's condition is emitted before the loop and in it, and its body may be lowered again until sizes settle.
  /// With nested loops these repetitions multiply. The total number of lowered layers is limited to this multiple of
  /// the layers in the file.
  private static let mostRepeats = 32
  private var allowance = 1000

  // MARK: layers

  func lowerAll(_ layers: Views<Specification.NeuralNetworkLayer>) throws {
    let layers = Array(layers)[...]
    // From here on, blobs are identified by Swift strings, which compare by canonical equivalence.
    if let name = try layers.flatMap({ try Array($0.input) + Array($0.output) }).firstAmbiguous {
      throw RuntimeError(
        .unsupported, "two values are called '\(name)' and differ in their Unicode composition alone; rename one")
    }
    let count = try NestedLayers.count(of: layers)
    try ModelBounds.requireMemory(operations: count)
    allowance = 1000 + Self.mostRepeats * count
    try lower(layers)
  }

  func lower(_ layers: Layers) throws {
    let outer = readers
    readers.append(Readers(last: try lastReads(layers)))
    defer { readers = outer }
    for index in layers.indices {
      readers[outer.count].index = index
      let kind = try lower(layers[index])
      guard try NestedLayers.mayStop(kind) else { continue }
      let rest = layers[(index + 1)...]
      if case .branch = kind { try BranchLayers(network: self).lowerUnlessStopped(rest) }
      return
    }
  }

  private func lower(
    _ message: Specification.NeuralNetworkLayer
  ) throws -> Specification.NeuralNetworkLayer.OneOfLayer {
    let (before, origins) = (graph.layer, graph.builder.origins)
    defer { (graph.layer, graph.builder.origins) = (before, origins) }
    var layer = NetworkGraph.Layer(
      name: try message.name, inputs: try message.input, outputs: try message.output, kind: "layer")
    // A layer without a name is identified by its first output.
    graph.builder.origins = (layer.name.isEmpty ? layer.outputs.first : layer.name).map { [$0] } ?? []
    guard let kind = try message.layer else {
      throw RuntimeError(.unsupported, "layer '\(layer.name)' is of a kind that is not known")
    }
    layer.kind = Self.word(of: kind)
    layer.isUpdatable = try isUpdatable && message.isUpdatable
    if case .custom = kind { layer.outputRanks = try message.outputTensor.map { try $0.rank } }
    graph.layer = layer
    try Cancellation.check()
    allowance -= 1
    guard allowance > 0 else {
      throw graph.error(
        .unsupported,
        "loops within loops would be written out as more than \(Self.mostRepeats) times the network's layers")
    }
    do { try lower(kind) } catch let error as MILError where !error.isOfBounds {
      throw graph.error(error.code == .unknownValue ? .unsupported : .invalidModel, "\(error)")
    }
    return kind
  }

  // MARK: later readers

  /// The last layer of a list that reads each name, and the index of the layer that is being lowered.
  private struct Readers {
    var last: [String: Int]
    var index = 0
  }

  private func lastReads(_ layers: Layers) throws -> [String: Int] {
    var last: [String: Int] = [:]
    // The readers matter only for the outputs of branches and loops.
    let hasControl = try layers.contains { layer in
      switch try layer.layer {
      case .branch, .loop: true
      default: false
      }
    }
    guard hasControl else { return last }
    for index in layers.indices { for name in try NestedLayers.read(layers[index]) { last[name] = index } }
    return last
  }

  /// Whether a layer after the current one reads the blob, in the same list or an enclosing one.
  func isRead(_ name: String) -> Bool { readers.contains { ($0.last[name] ?? -1) > $0.index } }

  /// Runs `work` as if `names` were read after it.
  func readingLater(
    _ names: some Sequence<String>, _ work: () throws -> Void
  ) rethrows {
    let outer = readers
    defer { readers = outer }
    readers.append(Readers(last: Dictionary(names.map { ($0, Int.max) }, uniquingKeysWith: { first, _ in first })))
    try work()
  }

  /// The schema's name of a layer kind.
  static func word(of kind: Specification.NeuralNetworkLayer.OneOfLayer) -> String {
    String("\(kind)".prefix { $0 != "(" })
  }

  // MARK: nested networks

  /// Lowers a nested network into a block. Its outputs are the blobs that it sets and that exist outside; `body`
  /// collects them.
  func nested<R>(_ body: () throws -> R) throws -> R {
    guard depth < Self.maximumDepth else { throw graph.error(.invalidModel, "networks are nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    return try graph.nested(body)
  }
}
