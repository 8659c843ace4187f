/// Names that Python reserves.
enum PythonNames {
  private static let keywords: Set<String> = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
    "pass", "raise", "return", "try", "while", "with", "yield",
  ]

  /// Names that the generated module uses.
  static let used: Set<String> = [
    "Any", "Dict", "List", "Optional", "Sequence", "Union", "annotations", "coreml_runtime", "dataclasses", "numpy",
    "os",
    "bool", "bytes", "classmethod", "dict", "float", "int", "list", "object", "str", "tuple", "type",
  ]

  /// Names of fields, distinct from the class's own methods.
  static func fields(_ features: [ModelFeature]) -> [NamedFeature] {
    var scope = NameScope(reserved: keywords.union(used).union(["features", "of", "self", "cls", "state"]))
    return features.map { feature in
      let name = Identifier.of(feature.name)
      // Two leading underscores would mangle the name.
      return NamedFeature(feature, scope.take(name.hasPrefix("__") ? "f\(name)" : name))
    }
  }

  /// The name of a class.
  static func typeName(_ name: String) -> String { keywords.contains(name) || used.contains(name) ? "\(name)_" : name }
}
