import CoreMLBase
import CoreMLImport
import Foundation
import MIL

extension LoadedModel {
  func parameterValue(for key: MLParameterKey) throws -> Any {
    if key.name == MLParameterKey.numberOfNeighbors.name, let neighbors = NeighborCount(engine.function) {
      return NSNumber(value: neighbors.value)
    }
    if [MLParameterKey.linkedModelFileName, .linkedModelSearchPath].contains(where: { $0.name == key.name }),
      let structure = engine.function.fileStructure, let file = structure.linkedFile
    {
      return key.name == MLParameterKey.linkedModelFileName.name ? file : structure.linkedSearchPath ?? ""
    }
    if let role = ParameterRole(key) {
      guard let tensor = role.tensor(in: engine.function) else {
        throw MLModelError(
          .parameters, "the model has no parameter '\(key)'; it has \(ParameterRole.sentence(engine.function))",
          underlyingCode: RuntimeError.Code.invalidInput.rawValue)
      }
      return try MLModelError.wrapping(.parameters) { try MLMultiArray(tensor, as: .float32) }
    }
    var values = UpdateValues(interface.updateParameters)
    try values.set((configuration.parameters ?? [:]).filter { $0.key.name == key.name })
    let known = values.byKey
    if let value = known[key] { return value }
    if key.scope == nil, let value = known.first(where: { $0.key.name == key.name })?.value { return value }
    throw MLModelError(
      .parameters, "the model has no parameter '\(key)'", underlyingCode: RuntimeError.Code.invalidInput.rawValue)
  }
}

/// A parameter key for weights or biases of a layer that training changes.
struct ParameterRole {
  private let role: String
  private let layer: String?

  /// Returns nil for any other key.
  init?(_ key: MLParameterKey) {
    guard [MLParameterKey.weights, .biases].contains(where: { $0.name == key.name }) else { return nil }
    (role, layer) = (key.name, key.scope)
  }

  /// Returns nil if the program has no such parameter. A key without a layer refers to the only layer.
  func tensor(in function: Function) -> Tensor? {
    place(in: function).flatMap { function.body.operations[$0].value("x", function.constants)?.tensor }
  }

  /// Replaces the values.
  func set(_ tensor: Tensor, in function: inout Function) {
    guard let place = place(in: function) else { return }
    function.body.operations[place].inputs["x"] = [.tensor(tensor)]
  }

  private func place(in function: Function) -> Int? {
    let constants = function.constants
    let found = function.body.operations.indices.filter { index in
      let operation = function.body.operations[index]
      guard operation.type == "train.parameter", Self.word("role", operation, constants) == role else { return false }
      return layer.map { $0 == Self.word("layer", operation, constants) } ?? true
    }
    return found.count == 1 ? found[0] : nil
  }

  private static func word(_ name: String, _ operation: MIL.Operation, _ constants: [String: Value]) -> String? {
    (try? operation.value(name, constants)?.tensor?.strings())?.first
  }

  static func sentence(_ function: Function) -> String {
    let constants = function.constants
    let all = function.body.operations.filter { $0.type == "train.parameter" }.map {
      "\(word("layer", $0, constants) ?? "?")/\(word("role", $0, constants) ?? "?")"
    }
    return all.isEmpty ? "none that training changes" : all.joined(separator: ", ")
  }
}

/// The `k` of a program's nearest-neighbor classifier.
struct NeighborCount {
  private let index: Int
  let value: Int

  /// Returns nil if the program has no nearest-neighbor classifier.
  init?(_ function: Function) {
    guard let index = function.body.operations.lastIndex(where: { $0.type == "ml.nearest_neighbors" }),
      let k = try? function.body.operations[index].value("k", function.constants)?.tensor?.ints().first
    else { return nil }
    (self.index, value) = (index, k)
  }

  func set(_ count: Int, in function: inout Function) { function.body.operations[index].inputs["k"] = [.int(count)] }
}

extension Function {
  /// Returns the function with the weights and biases in `parameters`: arrays with as many elements as the layer's own.
  func replacing(_ parameters: [MLParameterKey: Any]) throws -> Function {
    var function = self
    for (key, value) in parameters.sorted(by: { $0.key.description < $1.key.description }) {
      guard let role = ParameterRole(key) else { continue }
      guard let old = role.tensor(in: self) else {
        throw MLModelError(
          .parameters, "the model has no parameter '\(key)'; it has \(ParameterRole.sentence(self))",
          underlyingCode: RuntimeError.Code.invalidInput.rawValue)
      }
      guard let array = value as? MLMultiArray, array.count == old.count else {
        let found = (value as? MLMultiArray).map { "an array of \($0.count) elements" } ?? "a \(Swift.type(of: value))"
        throw MLModelError(
          .parameters, "the parameter '\(key)' is \(found), expected a multi-array of \(old.count) elements",
          underlyingCode: RuntimeError.Code.invalidInput.rawValue)
      }
      let new = try MLModelError.wrapping(.parameters) { try array.tensor(as: old.scalar).reshaped(old.shape) }
      role.set(new, in: &function)
    }
    return function
  }

  /// Returns the function with the configuration's prediction parameter (`numberOfNeighbors`) instead of the model's
  /// own.
  func configured(_ parameters: [MLParameterKey: Any]?, allowed: [UpdateParameter]) throws -> Function {
    let weighted = try replacing(parameters ?? [:])
    let changes = (parameters ?? [:]).filter { $0.key.name == MLParameterKey.numberOfNeighbors.name }
    guard !changes.isEmpty else { return weighted }
    guard let neighbors = NeighborCount(self) else {
      throw MLModelError(
        .parameters, "the parameter 'numberOfNeighbors' is set, and the model has no nearest-neighbor classifier",
        underlyingCode: RuntimeError.Code.invalidInput.rawValue)
    }
    // A model that is not updatable declares no ranges, so any number of neighbors is allowed.
    let rule = UpdateParameter(
      name: MLParameterKey.numberOfNeighbors.name,
      integer: UpdateParameter.IntegerRule(value: Int64(neighbors.value), range: [1, Int64(Int32.max)]))
    let rules = allowed.filter { $0.name == rule.name }
    var values = UpdateValues(rules.isEmpty ? [rule] : rules)
    try values.set(changes)
    var function = weighted
    neighbors.set(values.numberOfNeighbors ?? neighbors.value, in: &function)
    return function
  }
}
