import CoreMLBase
import CoreMLSpec

/// The fields of one layer, read strictly. A field that the importer does not read may change the layer's meaning, so
/// `finish` rejects it by name.
struct EspressoFields {
  let layer: EspressoLayer
  /// The fields that were read. Initially, the fields that never change the result.
  private var known: Set<String> = [
    "name", "type", "bottom", "top", "weights", "attributes", "debug_info", "n_parallel", "hint_fallback_from_metal",
  ]

  init(_ layer: EspressoLayer) { self.layer = layer }

  /// An error about a part of the layer that is not supported.
  func error(_ message: String) -> RuntimeError { error(.unsupported, message) }

  func error(_ code: RuntimeError.Code, _ message: String) -> RuntimeError {
    RuntimeError(code, "layer '\(layer.name)' (\(layer.type)): \(message)")
  }

  /// A number, or `fallback` if the layer omits it.
  mutating func number(_ name: String, default fallback: Double? = nil) throws -> Double {
    known.insert(name)
    switch layer.fields[name] {
    case .number(let value): return value
    case nil:
      guard let fallback else { throw error(.invalidModel, "'\(name)' is missing") }
      return fallback
    default: throw error(.invalidModel, "'\(name)' is no number")
    }
  }

  mutating func float(_ name: String, default fallback: Float? = nil) throws -> Float {
    Float(try number(name, default: fallback.map(Double.init)))
  }

  /// A size or count.
  mutating func size(_ name: String, default fallback: Int? = nil, in range: ClosedRange<Int> = 0...(1 << 31)) throws
    -> Int
  {
    let value = try number(name, default: fallback.map(Double.init))
    guard let size = Int(exactly: value), range.contains(size) else {
      throw error(.invalidModel, "'\(name)' is \(value)")
    }
    return size
  }

  mutating func flag(_ name: String) throws -> Bool { try number(name, default: 0) != 0 }

  func has(_ name: String) -> Bool { layer.fields[name] != nil }

  /// Rejects a layer whose field has a value other than `values`. A missing field has the first value.
  mutating func require(_ name: String, _ values: Double...) throws {
    let value = try number(name, default: values.first ?? 0)
    guard values.contains(value) else { throw error("'\(name)' is \(value), expected one of \(values)") }
  }

  /// Like `require`, for a field that every layer of the type contains.
  mutating func expect(_ name: String, _ values: Double...) throws {
    let value = try number(name)
    guard values.contains(value) else { throw error("'\(name)' is \(value), expected one of \(values)") }
  }

  /// Rejects a layer with fields that were not read.
  func finish() throws {
    let unknown = layer.fields.keys.filter { !known.contains($0) }.sorted()
    guard unknown.isEmpty else {
      throw error("has the fields \(unknown.joined(separator: ", ")), whose meaning is not known")
    }
  }
}
