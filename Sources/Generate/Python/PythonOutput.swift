/// The dataclass of a prediction's outputs.
struct PythonOutput {
  private let name: String
  private let features: [NamedFeature]

  init(_ className: String, _ function: ModelFunction) {
    name = "\(className)Output"
    features = PythonNames.fields(function.outputs)
  }

  func write(to code: inout CodeWriter) {
    code.lines(["", "", "@dataclasses.dataclass(frozen=True)", "class \(name):"])
    code.indented { code in
      code.docstring(["What a prediction gives."])
      for feature in features {
        code.line()
        code.attributeComment(feature.feature.sentence)
        let type = feature.pythonType
        code.line("\(feature.identifier): \(feature.isOptional ? "Optional[\(type)]" : type)")
      }
      code.lines(["", "@classmethod", "def of(cls, features: Dict[str, Any]) -> \(name):"])
      code.indented { code in
        code.docstring(["What the model gave, by its names."])
        code.line("return cls(")
        code.indented { code in
          for feature in features {
            let key = Literals.python(feature.feature.name)
            code.line("\(feature.identifier)=\(feature.isOptional ? "features.get(\(key))" : "features[\(key)]"),")
          }
        }
        code.line(")")
      }
    }
  }
}
