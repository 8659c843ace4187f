import CoreMLExecution
import CoreMLImport
import Foundation
import MIL

/// One prediction: features in, the engine, features out.
struct Prediction {
  private let model: MLModel

  init(_ model: MLModel) { self.model = model }

  func run(
    _ input: any MLFeatureProvider, options: MLPredictionOptions, states: StateBuffers, shouldStop: (() -> Bool)? = nil
  ) throws -> any MLFeatureProvider {
    let engine = options.usesCPUOnly ? model.cpuEngine : model.engine
    let given = try values(of: input, for: engine)
    let cancellation = Cancellation.current
    let outputs = model.modelDescription.outputDescriptionsByName
    let shouldStop = shouldStop ?? { cancellation?.shouldStop ?? false }
    return try engine.run(given, states: states, shouldStop: shouldStop) { values in
      var features: [String: Any] = [:]
      for (name, value) in values {
        guard let description = outputs[name] else { continue }
        let binding = OutputBinding(
          description: description, interface: model.interface, isBGR: model.blueFirst.contains(name))
        features[name] = try binding.feature(value, backing: options.outputBackings[name])
      }
      return try MLDictionaryFeatureProvider(dictionary: features)
    }
  }

  /// What an engine of the model's, or of a part of it, takes for the features.
  func values(of input: any MLFeatureProvider, for engine: Engine) throws -> [String: Value] {
    var given: [String: Value] = [:]
    for declared in engine.inputs { given[declared.name] = try value(of: declared, input) }
    return given
  }

  /// What a program's input is: the feature of its name, what stands for an optional one that is missing, or whether it is there.
  private func value(of declared: NamedType, _ input: any MLFeatureProvider) throws -> Value {
    let name = declared.name
    func given(_ name: String) -> MLFeatureValue? {
      input.featureValue(for: name).flatMap { $0.isUndefined ? nil : $0 }
    }
    let descriptions = model.modelDescription.inputDescriptionsByName
    guard let description = descriptions[name] else {
      if let feature = FeatureTypes.feature(ofPresence: name), descriptions[feature] != nil {
        return .bool(given(feature) != nil)
      }
      throw RuntimeError(.invalidModel, "the program's input '\(name)' is not described as a feature")
    }
    let binding = InputBinding(
      description: description, type: declared.type, interface: model.interface, isBGR: model.blueFirst.contains(name))
    if let value = given(name) { return try binding.value(value) }
    guard description.isOptional else { throw RuntimeError(.invalidInput, "input '\(name)' is missing") }
    return try binding.missing()
  }
}
