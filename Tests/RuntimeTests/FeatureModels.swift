import CoreMLBase
import CoreMLSpec
import Foundation

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Classical models written field by field, and predictions with them through the public API.
enum FeatureModels {
  typealias Fields = (inout WireWriter) -> Void

  struct Feature {
    let name: String
    let type: Fields
    var isOptional = false

    static func double(_ name: String) -> Feature { Feature(name: name) { $0.append(2) { _ in } } }
    static func int64(_ name: String) -> Feature { Feature(name: name) { $0.append(1) { _ in } } }
    static func string(_ name: String) -> Feature { Feature(name: name) { $0.append(3) { _ in } } }
    static func array(_ name: String, _ shape: [Int64]) -> Feature { array(name, shape, 65600) }
    static func floats(_ name: String, _ shape: [Int64]) -> Feature { array(name, shape, 65568) }
    private static func array(_ name: String, _ shape: [Int64], _ type: Int64) -> Feature {
      Feature(name: name) { feature in
        feature.append(5) { array in
          array.append(1, packed: shape)
          array.append(2, int: type)
        }
      }
    }
    /// Keys are strings or integers, and values are doubles.
    static func dictionary(_ name: String, integers: Bool = false) -> Feature {
      Feature(name: name) { $0.append(6) { $0.append(integers ? 1 : 2) { _ in } } }
    }
    static func strings(_ name: String) -> Feature { sequence(name, 3) }
    static func integers(_ name: String) -> Feature { sequence(name, 1) }
    /// A sequence of strings (kind 3) or integers (kind 1) with a range of lengths.
    static func sequence(_ name: String, _ kind: Int, _ counts: (UInt64, Int64)? = nil) -> Feature {
      Feature(name: name) { type in
        type.append(7) { sequence in
          sequence.append(kind) { _ in }
          guard let counts else { return }
          sequence.append(101) { range in
            range.append(1, uint: counts.0)
            range.append(2, int: counts.1)
          }
        }
      }
    }
    /// An RGB image.
    static func image(_ name: String, _ width: Int64, _ height: Int64) -> Feature {
      Feature(name: name) { type in
        type.append(4) { image in
          image.append(1, int: width)
          image.append(2, int: height)
          image.append(3, int: 20)
        }
      }
    }

    var optional: Feature { Feature(name: name, type: type, isOptional: true) }

    /// Writes the feature's description as a field.
    func write(_ number: Int, to writer: inout WireWriter) {
      writer.append(number) { writer in
        writer.append(1, string: name)
        writer.append(3) { type in
          self.type(&type)
          if isOptional { type.append(1000, bool: true) }
        }
      }
    }
  }

  /// A `Model` of the type with the field number `kind`. It is updatable if it has training inputs.
  static func model(
    _ kind: Int, _ inputs: [Feature], _ outputs: [Feature], label: String = "", probabilities: String = "",
    training: [Feature]? = nil, _ fields: Fields = { _ in }
  ) -> [UInt8] {
    func description(_ feature: Feature) -> Fields {
      { writer in
        writer.append(1, string: feature.name)
        writer.append(3) { type in
          feature.type(&type)
          if feature.isOptional { type.append(1000, bool: true) }
        }
      }
    }
    var writer = WireWriter()
    writer.append(1, int: 4)
    writer.append(2) { message in
      for input in inputs { message.append(1, message: description(input)) }
      for output in outputs { message.append(10, message: description(output)) }
      if !label.isEmpty { message.append(11, string: label) }
      if !probabilities.isEmpty { message.append(12, string: probabilities) }
      for input in training ?? [] { message.append(50, message: description(input)) }
    }
    if training != nil { writer.append(10, bool: true) }
    writer.append(kind, message: fields)
    return writer.bytes
  }

  static func pipeline(_ inputs: [Feature], _ outputs: [Feature], _ models: [[UInt8]]) -> [UInt8] {
    model(202, inputs, outputs) { pipeline in for model in models { pipeline.append(1, bytes: model) } }
  }

  /// An updatable classifier of the points `scaled`, after a scaler that doubles both coordinates of `x`.
  static func behindDoubler(_ classifier: [UInt8], named name: String, _ outputs: [Feature]) -> [UInt8] {
    let input = Feature.array("x", [2])
    let scaler = model(604, [input], [.array("scaled", [2])]) { $0.append(2, packed: [2.0, 2.0]) }
    return model(
      200, [input], outputs, label: "label", probabilities: "probabilities", training: [input, .string("label")]
    ) {
      $0.append(1) { pipeline in
        for model in [scaler, classifier] { pipeline.append(1, bytes: model) }
        for name in ["scale", name] { pipeline.append(2, string: name) }
      }
    }
  }

  static func strings(_ values: [String]) -> Fields { { for value in values { $0.append(1, string: value) } } }

  /// Compiles the model to a folder, loads it and predicts.
  static func predict(_ model: [UInt8], _ input: [String: Any], beside files: [String: [UInt8]] = [:]) throws
    -> any MLFeatureProvider
  {
    try load(model, beside: files).prediction(from: MLDictionaryFeatureProvider(dictionary: input))
  }

  /// Compiles the model to a folder and loads it. `look` sees the folder.
  static func load(
    _ model: [UInt8], beside files: [String: [UInt8]] = [:], look: (URL) throws -> Void = { _ in }
  ) throws -> MLModel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "features-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
    let source = folder.appending(path: "model.mlmodel")
    try Data(model).write(to: source)
    let compiled = try MLModel.compileModel(at: source)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    try look(compiled)
    return try MLModel(contentsOf: compiled)
  }

  /// The error message if the import refuses a model, or nil if it accepts it.
  static func refusal(_ model: [UInt8]) -> String? {
    do {
      _ = try ModelImport.model(ModelFile(Bytes(model)))
      return nil
    } catch { return "\(error)" }
  }
}

extension MLFeatureProvider {
  func numbers(_ name: String) -> [Double]? {
    guard let array = featureValue(for: name)?.multiArrayValue else { return nil }
    return (0..<array.count).map { array[$0].doubleValue }
  }
}
