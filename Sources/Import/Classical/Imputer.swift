import CoreMLSpec
import MIL

struct ImputerImport {
  let program: FeatureProgram

  /// Replaces missing values. Without a `replaceValue`, NaN and the empty string count as missing.
  func add(_ message: Specification.Imputer) throws {
    let input = try program.onlyInput()
    var arguments: [String: Binding] = ["x": .name(input)]
    let replaced: Value? =
      switch try message.replaceValue {
      case .replaceDoubleValue(let value): .tensor(Tensor(float64: [value], shape: []))
      case .replaceInt64Value(let value): .tensor(Tensor(int64: [value], shape: []))
      case .replaceStringValue(let value): .string(value)
      case nil: nil
      }
    arguments["missing"] = replaced.map { .literal($0) }
    switch try message.imputedValue {
    case .imputedDoubleValue(let value): arguments["imputed"] = .double(value)
    case .imputedInt64Value(let value): arguments["imputed"] = .tensor(Tensor(int64: [value], shape: []))
    case .imputedStringValue(let value): arguments["imputed"] = .string(value)
    case .imputedDoubleArray(let values): arguments["imputed"] = .doubles(try values.vector)
    case .imputedInt64Array(let values):
      let values = try values.vector
      arguments["imputed"] = .tensor(Tensor(int64: values, shape: [values.count]))
    case .imputedStringDictionary(let map):
      let entries = try map.mapInOrder.sorted { $0.key < $1.key }
      arguments["keys"] = .tensor(Tensor(strings: entries.map(\.key), shape: [entries.count]))
      arguments["imputed"] = .doubles(entries.map(\.value))
    case .imputedInt64Dictionary(let map):
      let entries = try map.mapInOrder.sorted { $0.key < $1.key }
      arguments["keys"] = .tensor(Tensor(int64: entries.map(\.key), shape: [entries.count]))
      arguments["imputed"] = .doubles(entries.map(\.value))
    case nil: throw program.error("it has no imputed value")
    }
    try program.setOnly(program.emit("ml.imputer", arguments))
  }
}
