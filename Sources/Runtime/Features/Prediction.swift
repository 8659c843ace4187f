import Foundation
import MIL

/// One prediction: features in, the engine, features out.
struct Prediction {
  private let model: MLModel

  init(_ model: MLModel) { self.model = model }

  func run(
    _ input: any MLFeatureProvider, options: MLPredictionOptions, states: StateBuffers, shouldStop: (() -> Bool)? = nil
  ) throws -> any MLFeatureProvider {
    var tensors: [String: Tensor] = [:]
    let descriptions = model.modelDescription.inputDescriptionsByName
    for (name, type) in model.engine.inputTypes {
      guard let description = descriptions[name] else {
        throw RuntimeError(.invalidModel, "the program's input '\(name)' is not described as a feature")
      }
      let binding = InputBinding(
        description: description, type: type, interface: model.interface, isBGR: model.blueFirst.contains(name))
      if let value = input.featureValue(for: name), !value.isUndefined {
        tensors[name] = try binding.tensor(value)
      } else if description.isOptional {
        tensors[name] = try binding.missing()
      } else {
        throw RuntimeError(.invalidInput, "input '\(name)' is missing")
      }
    }
    let cancellation = Cancellation.current
    let outputs = model.modelDescription.outputDescriptionsByName
    let shouldStop = shouldStop ?? { cancellation?.shouldStop ?? false }
    return try model.engine.run(tensors, states: states, shouldStop: shouldStop) { values in
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
}
