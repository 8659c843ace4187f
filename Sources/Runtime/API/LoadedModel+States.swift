import CoreMLBase
import CoreMLExecution
import CoreMLImport
import Foundation
import MIL

/// Whether a prediction has the states that its model keeps.
extension LoadedModel {
  /// Refuses a prediction without an `MLState` where the model keeps states, in the words of Core ML.
  ///
  /// States of zeros in their place would make a decoding loop that forgets its state give plausible nonsense.
  func requireNoStates() throws {
    guard !engine.stateTypes.isEmpty else { return }
    let name = stateNames.first ?? ""
    throw MLModelError(
      .featureType, "the model keeps the state '\(name)' between predictions, and no state was given",
      underlyingCode: RuntimeError.Code.invalidInput.rawValue,
      description: "The input feature for \(name) must be an MLState, but it was not.")
  }

  /// Refuses an `MLState` without one of the model's states, or with one of another type or shape.
  ///
  /// What else the `MLState` has is left as it is. So all functions and models whose states agree share one, and a model without states
  /// takes any.
  func require(_ given: StateBuffers) throws {
    for name in stateNames {
      guard let expected = engine.stateTypes[name] else { continue }
      guard let found = given.types[name] else {
        let known = given.types.isEmpty ? "none" : given.types.keys.sorted().joined(separator: ", ")
        throw RuntimeError(.invalidInput, "the given state has no '\(name)', which the model keeps; it has \(known)")
      }
      guard found == expected else {
        throw RuntimeError(.invalidInput, "the given state '\(name)' is \(found), the model keeps \(expected)")
      }
    }
  }

  /// The model's states in the order of its description.
  private var stateNames: [String] {
    let described = description.states.map(\.name).filter { engine.stateTypes[$0] != nil }
    return described.count == engine.stateTypes.count ? described : engine.stateTypes.keys.sorted()
  }
}

extension MLModel {
  /// Predicts from states of zeros that nobody keeps: for tools that try single rows.
  package func predictionFromFreshState(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) throws -> any MLFeatureProvider {
    guard modelDescription.keepsStates else { return try prediction(from: input, options: options) }
    return try prediction(from: input, using: makeState(), options: options)
  }
}

extension MLModelDescription {
  /// Whether predictions need an `MLState`.
  package var keepsStates: Bool { !stateDescriptionsByName.isEmpty }
}

extension MLModelError {
  /// An error with a sentence and a cause, for which Core ML has a description of its own.
  fileprivate init(_ code: Code, _ message: String, underlyingCode: String, description: String) {
    self.code = code
    self.message = message
    self.underlyingCode = underlyingCode
    userInfo = [NSLocalizedDescriptionKey: description]
  }
}
