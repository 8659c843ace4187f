import CoreMLBase

/// The first object of `metadata.json` in a model compiled by Apple's tools: a readable description of the model's
/// inputs and outputs.
///
/// Values are strings, numbers, and lists written as text (`"[1, 512]"`). Features with a flexible shape have
/// `shapeRange` or `enumeratedShapes` as such lists. An unbounded range ends with -1.
package struct MetadataSchema: Sendable {
  package let specificationVersion: Int
  private let model: Model
  private let file: String?

  package static func open(_ path: String) throws -> MetadataSchema {
    guard let first = try JSONText.read([Model].self, file: path, .malformedCompiledModel).first else {
      throw SpecError(.malformedCompiledModel, "expected the description of a model, found an empty list", file: path)
    }
    return MetadataSchema(specificationVersion: first.specificationVersion, model: first, file: path)
  }

  private struct Model: Decodable {
    let specificationVersion: Int
    let inputSchema: [Feature]
    let outputSchema: [Feature]
    let stateSchema: [Feature]?
    let functions: [Function]?
    let defaultFunctionName: String?
  }

  private struct Function: Decodable {
    let name: String
    let inputSchema: [Feature]
    let outputSchema: [Feature]
    let stateSchema: [Feature]?
  }

  fileprivate struct Feature: Decodable {
    let name: String
    let type: String
    let isOptional: String?
    let dataType: String?
    let shape: String?
    let shapeRange: String?
    let enumeratedShapes: String?
    let width: String?
    let height: String?
    let colorspace: String?
    let hasShapeFlexibility: String?
    let hasSizeFlexibility: String?
    let keyType: String?
  }

  /// The equivalent serialised `ModelDescription`.
  package func description() throws -> Bytes {
    var writer = WireWriter()
    guard let functions = model.functions, !functions.isEmpty else {
      try write([(1, model.inputSchema), (10, model.outputSchema), (13, model.stateSchema ?? [])], to: &writer)
      return Bytes(writer.bytes, file: file)
    }
    for function in functions {
      try writer.append(20) { writer in
        writer.append(1, string: function.name)
        try write(
          [(2, function.inputSchema), (3, function.outputSchema), (6, function.stateSchema ?? [])], to: &writer)
      }
    }
    if let name = model.defaultFunctionName { writer.append(21, string: name) }
    return Bytes(writer.bytes, file: file)
  }

  private func write(_ lists: [(number: Int, features: [Feature])], to writer: inout WireWriter) throws {
    for (number, features) in lists {
      for feature in features {
        try writer.append(number) { writer in
          writer.append(1, string: feature.name)
          try writer.append(3) { try type(feature, to: &$0) }
        }
      }
    }
  }

  private func type(_ feature: Feature, to writer: inout WireWriter) throws {
    switch feature.type {
    case "Int64": writer.append(1) { _ in }
    case "Double": writer.append(2) { _ in }
    case "String": writer.append(3) { _ in }
    case "Image": try writer.append(4) { try image(feature, to: &$0) }
    case "MultiArray": try writer.append(5) { try array(feature, to: &$0) }
    case "State": try writer.append(8) { writer in try writer.append(1) { try array(feature, to: &$0) } }
    case "Dictionary":
      let isInteger = feature.keyType == "Int64"
      writer.append(6) { writer in writer.append(isInteger ? 1 : 2) { _ in } }
    default: throw error("'\(feature.name)' is of the type \(feature.type.debugDescription), which is not known")
    }
    if feature.isOptional == "1" { writer.append(1000, bool: true) }
  }

  private func image(_ feature: Feature, to writer: inout WireWriter) throws {
    guard feature.hasSizeFlexibility != "1", let width = feature.width.flatMap(Int64.init), width > 0,
      let height = feature.height.flatMap(Int64.init), height > 0
    else { throw error("the image '\(feature.name)' has no fixed width and height") }
    let spaces = ["Grayscale": Int64(10), "RGB": 20, "BGR": 30, "GrayscaleFloat16": 40]
    guard let space = spaces[feature.colorspace ?? ""] else {
      throw error("the image '\(feature.name)' has the color space \(feature.colorspace ?? "none"), which is not known")
    }
    writer.append(1, int: width)
    writer.append(2, int: height)
    writer.append(3, int: space)
  }

  private func array(_ feature: Feature, to writer: inout WireWriter) throws {
    let types = ["Float32": Int64(65568), "Float64": 65600, "Double": 65600, "Int32": 131104, "Float16": 65552]
    guard let type = types[feature.dataType ?? ""] else {
      throw error("'\(feature.name)' has the element type \(feature.dataType ?? "none"), which is not known")
    }
    let shape = try list([Int64].self, feature.shape ?? "[]", feature)
    if !shape.isEmpty { writer.append(1, packed: shape) }
    writer.append(2, int: type)
    if let text = feature.shapeRange {
      let ranges = try list([[Int64]].self, text, feature)
      try writer.append(31) { writer in
        for range in ranges {
          guard range.count == 2, range[0] >= 0 else { throw error("'\(feature.name)' has the size range \(range)") }
          writer.append(1) { writer in
            writer.append(1, int: range[0])
            writer.append(2, int: range[1])
          }
        }
      }
    } else if let text = feature.enumeratedShapes {
      let shapes = try list([[Int64]].self, text, feature)
      writer.append(21) { writer in
        for shape in shapes { writer.append(1) { $0.append(1, packed: shape) } }
      }
    } else if feature.hasShapeFlexibility == "1" {
      throw error("'\(feature.name)' has a flexible shape without ranges or enumerated shapes")
    }
  }

  private func list<Value: Decodable>(_ type: Value.Type, _ text: String, _ feature: Feature) throws -> Value {
    do { return try JSONText.decode(type, Array(text.utf8)) } catch {
      throw self.error("'\(feature.name)' has the sizes \(text.debugDescription), expected a list of numbers")
    }
  }

  private func error(_ sentence: String) -> SpecError { SpecError(.malformedCompiledModel, sentence, file: file) }
}
