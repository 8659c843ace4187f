/// A JSON Schema of what a model's inputs and outputs look like as JSON, as `runtime predict` reads and writes them. The schema itself is
/// that of an input of the default function; all others are among its definitions.
package struct SchemaFile {
  private let model: ModelClass

  package init(_ model: ModelClass) { self.model = model }

  package func file() -> GeneratedFile { GeneratedFile(name: "\(model.name).schema.json", text: source()) }

  func source() -> String {
    var definitions: [(String, OrderedJSON)] = []
    for entry in FunctionClasses.of(model, named: model.name) {
      let function = entry.function
      definitions.append(("\(entry.name)Input", object(function.inputs, of: function, areOutputs: false)))
      definitions.append(("\(entry.name)Output", object(function.outputs, of: function, areOutputs: true)))
    }
    var members: [(String, OrderedJSON)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(model.name)),
    ]
    if !model.summary.isEmpty { members.append(("description", .string(model.summary))) }
    members.append(("$ref", .string("#/$defs/\(model.name)Input")))
    members.append(("$defs", .object(definitions)))
    return OrderedJSON.object(members).text()
  }

  private func object(_ features: [ModelFeature], of function: ModelFunction, areOutputs: Bool) -> OrderedJSON {
    let properties = features.map { feature in
      let labels = areOutputs && feature.name == function.predicted ? function.labels : nil
      return (feature.name, SchemaTypes.schema(feature, labels: labels, isOutput: areOutputs))
    }
    return .object([
      ("type", .string("object")), ("properties", .object(properties)),
      ("required", .array(features.filter { !$0.isOptional }.map { .string($0.name) })),
      ("additionalProperties", .bool(false)),
    ])
  }
}
