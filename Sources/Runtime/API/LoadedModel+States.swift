import CoreMLBase
import CoreMLExecution
import CoreMLImport
import Foundation
import MIL

/// Checks that a prediction has the states that its model needs.
extension LoadedModel {
  /// Throws if the model has states and the prediction has no `MLState`. The message has Core ML's wording.
  ///
  /// Without this check, zero-filled states would let a decoding loop that forgets its state produce plausible
  /// nonsense.
  func requireNoStates() throws {
    guard !engine.stateTypes.isEmpty else { return }
    let name = stateNames.first ?? ""
    throw MLModelError(
      .featureType, "the model keeps the state '\(name)' between predictions, and no state was given",
      underlyingCode: RuntimeError.Code.invalidInput.rawValue,
      description: "The input feature for \(name) must be an MLState, but it was not.")
  }

  /// Throws if an `MLState` lacks one of the model's states, or has it with another type or shape.
  ///
  /// Other states in the `MLState` are left unchanged. So functions and models with matching states can share one
  /// `MLState`, and a model without states accepts any.
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

  /// The names of the model's states, in the order of its description.
  private var stateNames: [String] {
    let described = description.states.map(\.name).filter { engine.stateTypes[$0] != nil }
    return described.count == engine.stateTypes.count ? described : engine.stateTypes.keys.sorted()
  }
}

extension MLModel {
  /// Predicts from zero-filled states that are discarded afterwards, for tools that run single examples.
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
  /// Creates an error with our message and underlying code, and with the description that Core ML gives in this case.
  fileprivate init(_ code: Code, _ message: String, underlyingCode: String, description: String) {
    self.code = code
    self.message = message
    self.underlyingCode = underlyingCode
    userInfo = [NSLocalizedDescriptionKey: description]
  }
}
