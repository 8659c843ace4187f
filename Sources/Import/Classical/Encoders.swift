import CoreMLSpec
import MIL

struct EncoderImport {
  let program: FeatureProgram

  func oneHot(_ message: Specification.OneHotEncoder) throws {
    let categories: Tensor
    switch try message.categoryType {
    case .stringCategories(let names):
      let names = try names.vector
      categories = Tensor(strings: names, shape: [names.count])
    case .int64Categories(let values):
      let values = try values.vector
      categories = Tensor(int64: values, shape: [values.count])
    case nil: throw program.error("it has no categories")
    }
    try program.setOnly(
      program.emit(
        "ml.one_hot_encoder",
        [
          "x": .name(program.onlyInput()), "categories": .tensor(categories), "sparse": .bool(givesDictionary()),
          "ignores_unknown": .bool(message.handleUnknown == .ignoreUnknown),
        ]))
  }

  /// Maps a dictionary's values to the indices of their keys. The result is an array, or a dictionary with the indices
  /// as keys if the output is declared as one.
  func dictVectorizer(_ message: Specification.DictVectorizer) throws {
    let input = try program.onlyInput()
    let keys: Tensor
    switch try message.map {
    case .stringToIndex(let names):
      let names = try names.vector
      keys = Tensor(strings: names, shape: [names.count])
    case .int64ToIndex(let values):
      let values = try values.vector
      // Some files declare strings and list integers; each integer is then converted to its decimal digits.
      if case .dictionary(.tensor(let key), _)? = program.builder.scope.types[input], key.scalar == .string {
        keys = Tensor(strings: values.map(String.init), shape: [values.count])
      } else {
        keys = Tensor(int64: values, shape: [values.count])
      }
    case nil: throw program.error("it has no keys")
    }
    let operation = try givesDictionary() ? "ml.key_positions" : "ml.vectorize"
    try program.setOnly(program.emit(operation, ["x": .name(input), "keys": .tensor(keys)]))
  }

  func categoricalMapping(_ message: Specification.CategoricalMapping) throws {
    var arguments: [String: Binding] = ["x": .name(try program.onlyInput())]
    switch try message.mappingType {
    case .stringToInt64Map(let map):
      let entries = try map.mapInOrder.sorted { $0.key < $1.key }
      arguments["keys"] = .tensor(Tensor(strings: entries.map(\.key), shape: [entries.count]))
      arguments["values"] = .tensor(Tensor(int64: entries.map(\.value), shape: [entries.count]))
    case .int64ToStringMap(let map):
      let entries = try map.mapInOrder.sorted { $0.key < $1.key }
      arguments["keys"] = .tensor(Tensor(int64: entries.map(\.key), shape: [entries.count]))
      arguments["values"] = .tensor(Tensor(strings: entries.map(\.value), shape: [entries.count]))
    case nil: throw program.error("it has no mapping")
    }
    switch try message.valueOnUnknown {
    case .strValue(let value): arguments["unknown"] = .string(value)
    case .int64Value(let value): arguments["unknown"] = .tensor(Tensor(int64: [value], shape: []))
    case nil: break
    }
    try program.setOnly(program.emit("ml.categorical_mapping", arguments))
  }

  private func givesDictionary() throws -> Bool {
    if case .dictionaryType? = try program.description.output.first?.type?.type { return true }
    return false
  }
}
