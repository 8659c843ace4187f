import CoreMLBase
import CoreMLImport
import CoreMLSpec

/// Models written field by field.
package enum FeatureModels {
  package typealias Fields = (inout WireWriter) -> Void

  package struct Feature {
    package let name: String
    package let type: Fields
    package let isOptional: Bool

    package init(name: String, type: @escaping Fields) { self.init(name: name, type: type, isOptional: false) }

    private init(name: String, type: @escaping Fields, isOptional: Bool) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
    }

    package static func double(_ name: String) -> Feature { Feature(name: name) { $0.append(2) { _ in } } }
    package static func int64(_ name: String) -> Feature { Feature(name: name) { $0.append(1) { _ in } } }
    package static func string(_ name: String) -> Feature { Feature(name: name) { $0.append(3) { _ in } } }
    package static func array(_ name: String, _ shape: [Int64]) -> Feature { array(name, shape, 65600) }
    package static func floats(_ name: String, _ shape: [Int64]) -> Feature { array(name, shape, 65568) }
    private static func array(_ name: String, _ shape: [Int64], _ type: Int64) -> Feature {
      Feature(name: name) { feature in
        feature.append(5) { array in
          array.append(1, packed: shape)
          array.append(2, int: type)
        }
      }
    }
    /// Keys are strings or integers, and values are doubles.
    package static func dictionary(_ name: String, integers: Bool = false) -> Feature {
      Feature(name: name) { $0.append(6) { $0.append(integers ? 1 : 2) { _ in } } }
    }
    package static func strings(_ name: String) -> Feature { sequence(name, 3) }
    package static func integers(_ name: String) -> Feature { sequence(name, 1) }
    /// A sequence of strings (kind 3) or integers (kind 1) with a range of lengths.
    package static func sequence(_ name: String, _ kind: Int, _ counts: (UInt64, Int64)? = nil) -> Feature {
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
    package static func image(_ name: String, _ width: Int64, _ height: Int64) -> Feature {
      Feature(name: name) { type in
        type.append(4) { image in
          image.append(1, int: width)
          image.append(2, int: height)
          image.append(3, int: 20)
        }
      }
    }

    /// A feature with a range of sizes for each axis.
    package static func flexible(_ name: String, _ shape: [Int64], _ ranges: [(Int64, Int64)]) -> Feature {
      Feature(name: name) { type in
        type.append(5) { array in
          array.append(1, packed: shape)
          array.append(2, int: 65568)
          array.append(31) { range in
            for (low, high) in ranges {
              range.append(1) { size in
                size.append(1, int: low)
                size.append(2, int: high)
              }
            }
          }
        }
      }
    }

    package var optional: Feature { Feature(name: name, type: type, isOptional: true) }

    /// Writes the feature's description as a field.
    package func write(_ number: Int, to writer: inout WireWriter) {
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
  package static func model(
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

  package static func pipeline(_ inputs: [Feature], _ outputs: [Feature], _ models: [[UInt8]]) -> [UInt8] {
    model(202, inputs, outputs) { pipeline in for model in models { pipeline.append(1, bytes: model) } }
  }

  /// An updatable classifier of the points `scaled`, after a scaler that doubles both coordinates of `x`.
  package static func behindDoubler(_ classifier: [UInt8], named name: String, _ outputs: [Feature]) -> [UInt8] {
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

  package static func strings(_ values: [String]) -> Fields { { for value in values { $0.append(1, string: value) } } }

  // MARK: stages of pipelines

  package static let oneHot = model(600, [.string("color")], [.dictionary("color", integers: true)]) {
    $0.append(1, message: strings(["red", "green", "blue"]))
  }

  package static func vectorizer(_ columns: [(Feature, UInt64)], _ size: Int64) -> [UInt8] {
    model(602, columns.map(\.0), [.array("vector", [size])]) { message in
      for (feature, dimensions) in columns {
        message.append(1) { column in
          column.append(1, string: feature.name)
          column.append(2, uint: dimensions)
        }
      }
    }
  }

  /// dot(weights, vector) of each row, through the logistic function.
  package static func classifier(_ input: Feature, _ rows: [[Double]], _ labels: [String]) -> [UInt8] {
    model(400, [input], [.string("label"), .dictionary("p")], label: "label", probabilities: "p") { message in
      for row in rows { message.append(1) { $0.append(1, packed: row) } }
      message.append(2, packed: rows.map { _ in 0.0 })
      message.append(4, int: rows.count == 1 ? 0 : 1)
      message.append(100, message: strings(labels))
    }
  }

  /// The error message if the import refuses a model, or nil if it accepts it.
  package static func refusal(_ model: [UInt8]) -> String? {
    do {
      let file = try ModelFile(Bytes(model))
      _ = try ModelCompiler.source(file, weights: WeightFiles { try file.blobFile(named: $0) })
      return nil
    } catch { return "\(error)" }
  }
}
