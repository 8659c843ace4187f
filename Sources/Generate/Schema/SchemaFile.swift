/// A JSON Schema of what a model's inputs and outputs look like as JSON, as `runtime predict` reads and writes them. The schema itself is
/// that of an input of the default function; all others are among its definitions.
package struct SchemaFile {
  private let model: ModelClass

  package init(_ model: ModelClass) { self.model = model }

  /// - Throws: `RuntimeError` for an input of more axes than a schema can write out.
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

  /// The name as it stands in a URI: of identifiers, what is of ASCII stands for itself.
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
