import CoreMLBase
import CoreMLSpec
import MIL

/// Lowers a NeuralNetwork, layer by layer, to operations of the language (`nn.` ones where MIL cannot say the same).
///
/// Layers are implemented in extensions, a file a family; `Layers.swift` maps each kind to its method. A method reads its inputs through
/// `input` or `image`, emits operations, and sets its outputs. Sizes may be unknown here (flexible shapes, sequences): whatever depends on them is emitted
/// as operations on shapes, which specialising folds away.
struct NetworkImport {
  var builder = Builder()
  private(set) var blobs = NestedDictionary<String, Blob>()
  /// The layer being lowered.
  private(set) var layer = Layer(name: "", inputs: [], outputs: [], kind: "")
  private(set) var depth = 0
  /// Ranks of output features, where blobs have the ranks of their features.
  var featureRanks: [String: Int] = [:]
  /// Values of one element that were scalars: the format has none, and what is made of them has the axes that are added.
  var scalars: Set<String> = []
  private var readers: [Readers] = []
  /// The model can be trained: weights that the file marks become parameters.
  var isUpdatable = false

  struct Layer {
    var name: String
    var inputs: [String]
    var outputs: [String]
    var kind: String
    /// What the file says of the outputs' ranks, 0 where it says nothing; read for custom layers only.
    var outputRanks: [UInt32] = []
    /// The file marks the layer as one that training changes.
    var isUpdatable = false
  }

  static let maximumDepth = 32

  /// A loop's condition is written out before it and in it, and its body may be lowered again until sizes are settled: in loops within
  /// loops that multiplies. All lowering together is at most this many times the layers of the file.
  private static let mostRepeats = 32
  private var allowance = 1000

  // MARK: layers

  mutating func lowerAll(_ layers: Views<Specification.NeuralNetworkLayer>) throws {
    let layers = Array(layers)[...]
    // Blobs are told apart by Swift's strings from here on.
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
    // A layer without a name is known by what it gives.
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

  // MARK: who reads later

  /// The last layer of a list that reads a name, and the layer of it that is being lowered.
  private struct Readers {
    var last: [String: Int]
    var index = 0
  }

  private func lastReads(_ layers: Layers) throws -> [String: Int] {
    var last: [String: Int] = [:]
    // Only what a branch or a loop gives back depends on who reads it.
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

  /// Whether a layer after the one being lowered, in its list or in one around it, reads the blob.
  func isRead(_ name: String) -> Bool { readers.contains { ($0.last[name] ?? -1) > $0.index } }

  /// `work`, with `names` being read after all of it.
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

  /// A layer's parameter that must be there.
  func required<T>(_ value: T?, _ name: String) throws -> T {
    guard let value else { throw error(.invalidModel, "'\(name)' is missing") }
    return value
  }

  /// A size or count of the file as an Int; refuses what no model can mean.
  func int(_ value: some BinaryInteger, _ name: String) throws -> Int {
    guard let int = Int(exactly: value), int.magnitude < 1 << 40 else {
      throw error(.invalidModel, "'\(name)' is \(value)")
    }
    return int
  }

  /// A list of exactly `count` sizes, or `fallback` when the file leaves it empty.
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

  /// An input as (N, C, H, W), and the leading axes that N stands for (nil when the blob has rank 4 or less: missing axes are ones).
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

  /// Undoes `image`: (N, C, H, W) with N split into its leading axes.
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

  /// Lowers a layer of one input and one output element by element: whatever form the blob has is kept.
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

  /// Lowers a nested network into a block. Blobs it sets that exist outside are what it gives back; `body` collects them.
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
