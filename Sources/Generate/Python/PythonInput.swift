/// The dataclass of a prediction's inputs.
struct PythonInput {
  private let name: String
  private let features: [NamedFeature]

  init(_ className: String, _ function: ModelFunction) {
    name = "\(className)Input"
    features = PythonNames.fields(function.inputs)
  }

  func write(to code: inout CodeWriter) {
    code.lines(["", "", "@dataclasses.dataclass", "class \(name):"])
    code.indented { code in
      code.docstring(["What a prediction takes."])
      // Python requires optional fields to come last.
      for feature in features.filter({ !$0.isOptional }) + features.filter(\.isOptional) {
        code.line()
        code.attributeComment(feature.feature.sentence)
        let type = feature.pythonInputType
        code.line(
          feature.isOptional ? "\(feature.identifier): Optional[\(type)] = None" : "\(feature.identifier): \(type)")
      }
      code.line()
      code.line("def features(self) -> Dict[str, Any]:")
      code.indented { code in
        code.docstring(["The inputs that are given, by the names that the model has for them."])
        code.line("features: Dict[str, Any] = {")
        code.indented { code in
          for feature in features {
            code.line("\(Literals.python(feature.feature.name)): self.\(feature.identifier),")
          }
        }
        code.line("}")
        code.line("return {name: value for name, value in features.items() if value is not None}")
      }
    }
  }
}
