import CoreMLKernels
import MIL

/// The constants of a function that stay as their file has them: what `constexpr_*` operations give of nothing but constants.
struct StoredConstants {
  private var layers = NestedDictionary<String, StoredWeight>()
  /// By name.
  var weights: [String: StoredWeight] { layers.all }

  init(_ weights: [String: StoredWeight] = [:]) {
    for (name, weight) in weights { layers[name] = weight }
  }

  mutating func define(_ name: String, _ weight: StoredWeight) { layers[name] = weight }

  /// What is defined from here to `leave` is a block's own. Nothing is copied for it.
  mutating func enter() { layers.enter() }
  mutating func leave() { layers.leave() }

  /// What an operation gives, when it can stay stored; known by its outputs' names from then on.
  mutating func take(_ operation: Operation, _ invocation: Invocation) throws -> [StoredWeight]? {
    guard operation.blocks.isEmpty, StoredWeight.canKeep(operation.type) else { return nil }
    var arguments: [String: StoredWeight] = [:]
    for (parameter, bindings) in operation.inputs where bindings.count == 1 {
      if let value = invocation.valueIfKnown(parameter) {
        arguments[parameter] = value.tensor.flatMap { StoredWeight($0) }
      } else if let weight = bindings[0].name.flatMap({ weights[$0] }) {
        arguments[parameter] = weight
      } else {
        return nil
      }
    }
    guard let results = try StoredWeight.results(of: invocation, arguments), results.count >= operation.outputs.count,
      zip(operation.outputs, results).allSatisfy({ $0.type.tensor?.scalar == $1.type.scalar })
    else { return nil }
    for (output, weight) in zip(operation.outputs, results) { layers[output.name] = weight }
    return results
  }

  /// Whether an operation only gives one of these a name, for training.
  func isParameter(_ operation: Operation) -> Bool {
    guard operation.type == "train.parameter", let name = operation.inputs["x"]?.first?.name else { return false }
    return weights[name]?.type.scalar == .float32
  }

  /// The invocation with these constants decoded; nil when something that it reads is neither known nor one of them.
  func decoded(_ invocation: Invocation, f16: Bool) throws -> Invocation? {
    var wanted: [(parameter: String, index: Int, weight: StoredWeight)] = []
    for (parameter, bindings) in invocation.operation.inputs {
      for (index, binding) in bindings.enumerated() where invocation.valueIfKnown(parameter, index) == nil {
        guard let weight = binding.name.flatMap({ weights[$0] }), f16 || weight.type.scalar != .float16
        else { return nil }
        wanted.append((parameter, index, weight))
      }
    }
    var values = invocation.values
    for (parameter, index, weight) in wanted { values[parameter]?[index] = .tensor(try weight.dense()) }
    return Invocation(operation: invocation.operation, inputTypes: invocation.inputTypes, values: values)
  }
}
