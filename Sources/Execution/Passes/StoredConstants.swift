import CoreMLKernels
import MIL

/// The constants of a function that keep the encoding of the model file: the results of `constexpr_*` operations with
/// constant operands.
struct StoredConstants {
  private var layers = NestedDictionary<String, StoredWeight>()
  /// By name.
  var weights: [String: StoredWeight] { layers.all }

  init(_ weights: [String: StoredWeight] = [:]) {
    for (name, weight) in weights { layers[name] = weight }
  }

  mutating func define(_ name: String, _ weight: StoredWeight) { layers[name] = weight }

  /// Definitions from here to `leave` belong to a block. Nothing is copied.
  mutating func enter() { layers.enter() }
  mutating func leave() { layers.leave() }

  /// The results of an operation, if they can keep their stored form. They are then registered under the names of its
  /// outputs.
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

  /// Whether an operation only names one of these constants as a training parameter.
  func isParameter(_ operation: Operation) -> Bool {
    guard operation.type == "train.parameter", let name = operation.inputs["x"]?.first?.name else { return false }
    return weights[name]?.type.scalar == .float32
  }

  /// The invocation with these constants decoded. Nil if it reads a value that is neither known nor one of them.
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
