import CoreMLBase
import MIL

/// The operations that a network is lowered to, the blobs that its layers read and write, and the layer that is being
/// lowered.
///
/// The importers of layers read their inputs with `input` or `image`, emit operations, and set their outputs. Sizes may
/// be unknown here (flexible shapes, sequences). Everything that depends on them is emitted as operations on shapes,
/// which specialization folds.
final class NetworkGraph {
  var builder = Builder()
  private(set) var blobs = NestedDictionary<String, Blob>()
  /// The layer that is being lowered.
  var layer = Layer(name: "", inputs: [], outputs: [], kind: "")
  /// The ranks of output features, if blobs have the ranks of their features.
  var featureRanks: [String: Int] = [:]
  /// One-element vectors that were scalars before conversion, because the format has no scalars. Axes added to them
  /// replace their axis.
  var scalars: Set<String> = []

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
  func input(_ index: Int) throws -> String {
    let name = try blobName(index)
    return try full(try blob(index), named: name)
  }

  func full(_ blob: Blob, named name: String) throws -> String {
    if let value = blob.full { return value }
    guard let (merged, lead) = blob.merged else { throw error(.invalidModel, "'\(name)' has no value") }
    let value = try split(merged, lead)
    blobs[name]?.full = value
    return value
  }

  // MARK: outputs

  func set(_ index: Int = 0, _ value: String) throws {
    blobs[try outputName(index)] = Blob(full: value, merged: nil)
  }

  func setImage(_ index: Int = 0, _ value: String, lead: Blob.Lead?) throws {
    blobs[try outputName(index)] = lead.map { Blob(full: nil, merged: (value, $0)) } ?? Blob(full: value, merged: nil)
  }

  func define(_ name: String, _ blob: Blob) { blobs[name] = blob }

  /// Adds the merged form of a blob.
  func setMerged(_ name: String, _ value: String, _ lead: Blob.Lead) { blobs[name]?.merged = (value, lead) }

  private func outputName(_ index: Int) throws -> String {
    guard layer.outputs.indices.contains(index) else { throw error(.invalidModel, "has no output \(index)") }
    return layer.outputs[index]
  }

  /// Lowers an elementwise layer with one input and one output, and keeps the form of the blob.
  func map(_ body: (String) throws -> String) throws {
    if let merged = try blob(0).merged {
      try setImage(0, body(merged.name), lead: merged.lead)
    } else {
      let (x, value) = (try input(0), try body(input(0)))
      if scalars.contains(x) { scalars.insert(value) }
      try set(0, value)
    }
  }

  // MARK: nested networks

  /// Runs `body` in a new block. Blobs that it sets are visible only there.
  func nested<R>(_ body: () throws -> R) rethrows -> R {
    builder.enter()
    blobs.enter()
    defer {
      builder.leave()
      blobs.leave()
    }
    return try body()
  }
}
