/// The functions of a model, and the base names of their classes.
struct FunctionClasses {
  struct Entry {
    let function: ModelFunction
    let name: String
    /// Whether the function is loaded by default.
    let isDefault: Bool
  }

  /// The functions, with the default function first. Its class has the name of the model's class. All class names of a
  /// file are distinct, including those with a suffix.
  static func of(_ model: ModelClass, named base: String) -> [Entry] {
    var scope = NameScope(reserved: [])
    var taken: Set<String> = []
    return model.functions.enumerated().map { index, function in
      let wanted = index == 0 ? base : "\(base)_\(Identifier.of(function.name))"
      let name = scope.take(wanted) { form in endings.contains { taken.contains(form + $0) } }
      taken.formUnion(endings.map { name + $0 })
      return Entry(function: function, name: name, isDefault: index == 0)
    }
  }

  private static let endings = ["", "Input", "Output", "TrainingInput", "Label"]
}
