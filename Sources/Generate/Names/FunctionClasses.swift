/// The functions of a model, and what the classes of each begin with.
struct FunctionClasses {
  struct Entry {
    let function: ModelFunction
    let name: String
    /// Whether it is the function that is loaded when none is asked for.
    let isDefault: Bool
  }

  /// The default function first, which has the name of the model's class. No two classes of a file are called alike, with what is put
  /// behind their names.
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
