import CoreMLExecution
import CoreMLImport
import Foundation
import MIL

/// One prediction: features in, the engine, features out.
struct Prediction {
  private let model: LoadedModel

  init(_ model: LoadedModel) { self.model = model }

  func run(
    _ input: any MLFeatureProvider, options: MLPredictionOptions, states: StateBuffers, shouldStop: (() -> Bool)? = nil
  ) throws -> any MLFeatureProvider {
    try model.limits.predicting { try predict(input, options: options, states: states, shouldStop: shouldStop) }
  }

  private func predict(
    _ input: any MLFeatureProvider, options: MLPredictionOptions, states: StateBuffers, shouldStop: (() -> Bool)?
  ) throws -> any MLFeatureProvider {
    // Who asks between steps wants the steps.
    if shouldStop == nil, let rows = model.rows, let result = try rows.prediction(from: input, options) {
      return result
    }
    let engine = options.usesCPUOnly ? model.cpuEngine : model.engine
    let given = try engine.budget.during { try values(of: input, for: engine, borrowing: true) }
    let bindings = model.outputBindings
    for (name, backing) in options.outputBackings { try bindings[name]?.require(backing) }
    var arrays: [String: MLMultiArray] = [:]
    return try engine.run(given, states: states, shouldStop: shouldStop) { name, type in
      arrays[name] = try bindings[name]?.array(for: type, backing: options.outputBackings[name])
      return arrays[name]?.dataPointer
    } read: { values in
      var features: [String: MLFeatureValue] = [:]
      for (name, value) in values {
        guard let binding = bindings[name] else { continue }
        features[name] = try binding.feature(value, backing: arrays[name] ?? options.outputBackings[name])
      }
      return MLDictionaryFeatureProvider(values: features)
    }
  }

  /// What an engine of the model's, or of a part of it, takes for the features.
  /// `borrowing`: they are used up before the caller may change the features.
  func values(
    of input: any MLFeatureProvider, for engine: Engine, borrowing: Bool = false
  ) throws -> [String: Value] {
    var given: [String: Value] = [:]
    for declared in engine.inputs { given[declared.name] = try value(of: declared, input, borrowing) }
    return given
  }

  /// What a program's input is: the feature of its name, what stands for an optional one that is missing, or whether it is there.
  private func value(
    of declared: NamedType, _ input: any MLFeatureProvider, _ borrows: Bool
  ) throws -> Value {
    let name = declared.name
    func given(_ name: String) -> MLFeatureValue? {
      input.featureValue(for: name).flatMap { $0.isUndefined ? nil : $0 }
    }
    let descriptions = model.description.inputDescriptionsByName
    guard let description = descriptions[name] else {
      if let feature = FeatureTypes.feature(ofPresence: name), descriptions[feature] != nil {
        return .bool(given(feature) != nil)
      }
      throw RuntimeError(.invalidModel, "the program's input '\(name)' is not described as a feature")
    }
    let binding = InputBinding(
      description: description, type: declared.type, interface: model.interface, isBGR: model.blueFirst.contains(name),
      borrows: borrows)
    if let value = given(name) { return try binding.value(value) }
    guard description.isOptional else { throw RuntimeError(.invalidInput, "input '\(name)' is missing") }
    return try binding.missing()
  }
}
