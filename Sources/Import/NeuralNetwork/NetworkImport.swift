import CoreMLBase
import CoreMLSpec
import MIL

/// Lowers a NeuralNetwork, layer by layer, to MIL operations. Where MIL has no equivalent, it uses this runtime's `nn.`
/// operations.
///
/// Layers are implemented in extensions, one file per family; `Layers.swift` maps each kind to its method. A method
/// reads its inputs with `input` or `image`, emits operations, and sets its outputs. Sizes may be unknown here
/// (flexible shapes, sequences). Everything that depends on them is emitted as operations on shapes, which
/// specialization folds.
struct NetworkImport {
  var builder = Builder()
  private(set) var blobs = NestedDictionary<String, Blob>()
  /// The layer that is being lowered.
  private(set) var layer = Layer(name: "", inputs: [], outputs: [], kind: "")
  private(set) var depth = 0
  /// The ranks of output features, if blobs have the ranks of their features.
  var featureRanks: [String: Int] = [:]
  /// One-element vectors that were scalars before conversion, because the format has no scalars. Axes added to them
  /// replace their axis.
  var scalars: Set<String> = []
  private var readers: [Readers] = []
  /// Whether the model can be trained; then weights that the file marks become parameters.
  var isUpdatable = false

  struct Layer {
    var name: String
    var inputs: [String]
    var outputs: [String]
    var kind: String
    /// The ranks of the outputs in the file; 0 means not given. Read only for custom layers.
    var outputRanks: [UInt32] = []
    /// Whether the file marks the layer as updatable.
    var isUpdatable = false
  }

  static let maximumDepth = 32

  /// A loop's condition is emitted before the loop and in it, and its body may be lowered again until sizes settle.
  /// With nested loops these repetitions multiply. The total number of lowered layers is limited to this multiple of
  /// the layers in the file.
  private static let mostRepeats = 32
  private var allowance = 1000

  // MARK: layers

  mutating func lowerAll(_ layers: Views<Specification.NeuralNetworkLayer>) throws {
    let layers = Array(layers)[...]
    // From here on, blobs are identified by Swift strings, which compare by canonical equivalence.
    if let name = try layers.flatMap({ try Array($0.input) + Array($0.output) }).firstAmbiguous {
      throw RuntimeError(
        .unsupported, "two values are called '\(name)' and differ in their Unicode composition alone; rename one")
    }
    let count = try Self.count(of: layers)
    try ModelBounds.requireMemory(operations: count)
    allowance = 1000 + Self.mostRepeats * count
    try lower(layers)
  }

  mutating func lower(_ layers: Layers) throws {
    let outer = readers
    readers.append(Readers(last: try lastReads(layers)))
    defer { readers = outer }
    for index in layers.indices {
      readers[outer.count].index = index
      let kind = try lower(layers[index])
      guard try Self.mayStop(kind) else { continue }
      let rest = layers[(index + 1)...]
      if case .branch = kind { try lowerUnlessStopped(rest) }
      return
    }
  }

  private mutating func lower(
    _ message: Specification.NeuralNetworkLayer
  ) throws -> Specification.NeuralNetworkLayer.OneOfLayer {
    let (before, origins) = (layer, builder.origins)
    defer { (layer, builder.origins) = (before, origins) }
    layer = Layer(name: try message.name, inputs: try message.input, outputs: try message.output, kind: "layer")
    // A layer without a name is identified by its first output.
    builder.origins = (layer.name.isEmpty ? layer.outputs.first : layer.name).map { [$0] } ?? []
    guard let kind = try message.layer else {
      throw RuntimeError(.unsupported, "layer '\(layer.name)' is of a kind that is not known")
    }
    layer.kind = Self.word(of: kind)
    layer.isUpdatable = try isUpdatable && message.isUpdatable
    if case .custom = kind { layer.outputRanks = try message.outputTensor.map { try $0.rank } }
    try Cancellation.check()
    allowance -= 1
    guard allowance > 0 else {
      throw error(
        .unsupported,
        "loops within loops would be written out as more than \(Self.mostRepeats) times the network's layers")
    }
    do { try lower(kind) } catch let error as MILError where !error.isOfBounds {
      throw self.error(error.code == .unknownValue ? .unsupported : .invalidModel, "\(error)")
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
    for index in layers.indices { for name in try Self.read(layers[index]) { last[name] = index } }
    return last
  }

  /// Whether a layer after the current one reads the blob, in the same list or an enclosing one.
  func isRead(_ name: String) -> Bool { readers.contains { ($0.last[name] ?? -1) > $0.index } }

  /// Runs `work` as if `names` were read after it.
  mutating func readingLater(
    _ names: some Sequence<String>, _ work: (inout NetworkImport) throws -> Void
  ) rethrows {
    let outer = readers
    defer { readers = outer }
    readers.append(Readers(last: Dictionary(names.map { ($0, Int.max) }, uniquingKeysWith: { first, _ in first })))
    try work(&self)
  }

  /// The schema's name of a layer kind.
  static func word(of kind: Specification.NeuralNetworkLayer.OneOfLayer) -> String {
    String("\(kind)".prefix { $0 != "(" })
  }

  func error(_ code: RuntimeError.Code = .invalidModel, _ message: String) -> RuntimeError {
    RuntimeError(code, "layer '\(layer.name)' (\(layer.kind)): \(message)")
  }

  /// Unwraps a required parameter of a layer.
  func required<T>(_ value: T?, _ name: String) throws -> T {
    guard let value else { throw error(.invalidModel, "'\(name)' is missing") }
    return value
  }

  /// Converts a size or count of the file to `Int`. Rejects values that no model can use.
  func int(_ value: some BinaryInteger, _ name: String) throws -> Int {
    guard let int = Int(exactly: value), int.magnitude < 1 << 40 else {
      throw error(.invalidModel, "'\(name)' is \(value)")
    }
    return int
  }

  /// A list of exactly `count` sizes; `fallback` for each if the file leaves the list empty.
  func ints(_ values: [UInt64], count: Int, default fallback: Int, _ name: String) throws -> [Int] {
    if values.isEmpty { return Array(repeating: fallback, count: count) }
    guard values.count == count else {
      throw error(.invalidModel, "'\(name)' has \(values.count) entries, expected \(count)")
    }
    return try values.map { try int($0, name) }
  }

  // MARK: inputs

  /// The name of the blob at an input.
  func blobName(_ index: Int) throws -> String {
    guard layer.inputs.indices.contains(index) else {
      throw error(.invalidModel, "needs input \(index), it has \(layer.inputs.count)")
    }
    return layer.inputs[index]
  }

  func blob(_ index: Int) throws -> Blob {
    let name = try blobName(index)
    guard let blob = blobs[name] else { throw error(.invalidModel, "reads '\(name)', which no layer before it gives") }
    return blob
  }

  /// An input with its own axes.
  mutating func input(_ index: Int) throws -> String {
    let name = try blobName(index)
    return try full(try blob(index), named: name)
  }

  mutating func full(_ blob: Blob, named name: String) throws -> String {
    if let value = blob.full { return value }
    guard let (merged, lead) = blob.merged else { throw error(.invalidModel, "'\(name)' has no value") }
    let value = try split(merged, lead)
    blobs[name]?.full = value
    return value
  }

  /// An input as (N, C, H, W), and the leading axes that are merged into N. The leading axes are nil for a blob of rank
  /// 4 or less.
  mutating func image(_ index: Int) throws -> (name: String, lead: Blob.Lead?) {
    let name = try blobName(index)
    let blob = try blob(index)
    if let merged = blob.merged { return (merged.name, merged.lead) }
    let value = try full(blob, named: name)
    let rank = try builder.tensorType(of: value).rank
    if rank == 4 { return (value, nil) }
    guard rank > 4 else {
      throw error(.invalidModel, "'\(name)' has rank \(rank), the layer takes (..., C, H, W) of rank 4 or more")
    }
    let lead = Blob.Lead(sizes: try sizes(of: value, 0..<(rank - 3)), rank: rank - 3)
    let target = try concat([try constant([-1]), try sizes(of: value, (rank - 3)..<rank)])
    let merged = try emit("reshape", ["x": .name(value), "shape": .name(target)])
    blobs[name]?.merged = (merged, lead)
    return (merged, lead)
  }

  /// Reverses `image`: splits N of (N, C, H, W) into the leading axes.
  mutating func split(_ image: String, _ lead: Blob.Lead) throws -> String {
    let target = try concat([lead.sizes, try sizes(of: image, 1..<4)])
    return try emit("reshape", ["x": .name(image), "shape": .name(target)])
  }

  // MARK: outputs

  mutating func set(_ index: Int = 0, _ value: String) throws {
    blobs[try outputName(index)] = Blob(full: value, merged: nil)
  }

  mutating func setImage(_ index: Int = 0, _ value: String, lead: Blob.Lead?) throws {
    blobs[try outputName(index)] = lead.map { Blob(full: nil, merged: (value, $0)) } ?? Blob(full: value, merged: nil)
  }

  mutating func define(_ name: String, _ blob: Blob) { blobs[name] = blob }

  private func outputName(_ index: Int) throws -> String {
    guard layer.outputs.indices.contains(index) else { throw error(.invalidModel, "has no output \(index)") }
    return layer.outputs[index]
  }

  /// Lowers an elementwise layer with one input and one output, and keeps the form of the blob.
  mutating func map(_ body: (inout NetworkImport, String) throws -> String) throws {
    if let merged = try blob(0).merged {
      try setImage(0, body(&self, merged.name), lead: merged.lead)
    } else {
      let (x, value) = (try input(0), try body(&self, input(0)))
      if scalars.contains(x) { scalars.insert(value) }
      try set(0, value)
    }
  }

  // MARK: nested networks

  /// Lowers a nested network into a block. Its outputs are the blobs that it sets and that exist outside; `body`
  /// collects them.
  mutating func nested<R>(_ body: (inout NetworkImport) throws -> R) throws -> R {
    guard depth < Self.maximumDepth else { throw error(.invalidModel, "networks are nested too deeply") }
    depth += 1
    builder.enter()
    blobs.enter()
    defer {
      depth -= 1
      builder.leave()
      blobs.leave()
    }
    return try body(&self)
  }
}
