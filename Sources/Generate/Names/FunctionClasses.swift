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
    var taken: Set<String> = []
    return model.functions.enumerated().map { index, function in
      var name = index == 0 ? base : "\(base)_\(Identifier.of(function.name))"
      while endings.contains(where: { taken.contains(name + $0) }) { name += "_" }
      taken.formUnion(endings.map { name + $0 })
      return Entry(function: function, name: name, isDefault: index == 0)
    }
  }

  private static let endings = ["", "Input", "Output", "TrainingInput", "Label"]
}
