/// A JSON Schema of a model's inputs and outputs in the JSON format of `runtime predict`. The root schema describes an
/// input of the default function; the others are in its definitions.
package struct SchemaFile {
  private let model: ModelClass

  package init(_ model: ModelClass) { self.model = model }

  /// - Throws: `RuntimeError` for an input with too many axes for a schema.
  package func file() throws -> GeneratedFile {
    GeneratedFile(name: "\(model.name).schema.json", text: try source())
  }

  func source() throws -> String {
    var definitions: [(String, OrderedJSON)] = []
    for entry in FunctionClasses.of(model, named: model.name) {
      let function = entry.function
      definitions.append(("\(entry.name)Input", try object(function.inputs, of: function, areOutputs: false)))
      definitions.append(("\(entry.name)Output", try object(function.outputs, of: function, areOutputs: true)))
    }
    var members: [(String, OrderedJSON)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("$comment", .string(GeneratedFile.mark)),
      ("title", .string(model.name)),
    ]
    if !model.summary.isEmpty { members.append(("description", .string(model.summary))) }
    members.append(("$ref", .string("#/$defs/\(Self.encoded("\(model.name)Input"))")))
    members.append(("$defs", .object(definitions)))
    return OrderedJSON.object(members).text()
  }

  /// The name in a URI. ASCII characters of identifiers need no encoding.
  private static func encoded(_ name: String) -> String {
    name.utf8.map { byte in
      byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  private func object(_ features: [ModelFeature], of function: ModelFunction, areOutputs: Bool) throws -> OrderedJSON {
    let properties = try features.map { feature in
      let labels = areOutputs && feature.name == function.predicted ? function.labels : nil
      return (feature.name, try SchemaTypes.schema(feature, labels: labels, isOutput: areOutputs))
    }
    return .object([
      ("type", .string("object")), ("properties", .object(properties)),
      ("required", .array(features.filter { !$0.isOptional }.map { .string($0.name) })),
      ("additionalProperties", .bool(false)),
    ])
  }
}
