import ArgumentParser
import CoreML
import CoreMLRuntime

/// The state that each prediction of a stateful model begins with.
struct StateOptions: ParsableArguments {
  @Flag(help: "Keep one state across all predictions, in order.")
  var stateful = false
  @Flag(help: "Begin each prediction with a state of zeros.")
  var freshState = false

  func validate() throws {
    if stateful && freshState { throw ValidationError("--stateful and --fresh-state exclude each other") }
  }

  /// The state that the rows of a run begin with.
  ///
  /// - Throws: `Failure` if the model is stateful and no option selects a mode, as both modes are useful.
  func rows(of model: MLModel, named name: String) throws -> PredictionState {
    let description = model.modelDescription
    guard description.keepsStates else { return .stateless }
    if stateful { return .kept(model.makeState()) }
    if freshState { return .fresh }
    throw Failure(
      .usage,
      "\(name): the model keeps \(description.stateWords) between predictions: --stateful keeps one state over all rows in "
        + "their order, --fresh-state begins each row with zeros")
  }
}

/// The state for a prediction.
enum PredictionState {
  /// For models without states.
  case stateless
  /// States of zeros, discarded after the prediction.
  case fresh
  case kept(MLState)

  func predict(
    _ model: MLModel, _ input: any MLFeatureProvider, _ options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    switch self {
    case .stateless: try model.prediction(from: input, options: options)
    case .fresh: try model.predictionFromFreshState(from: input, options: options)
    case .kept(let state): try model.prediction(from: input, using: state, options: options)
    }
  }
}

extension MLModelDescription {
  /// The states by name, for sentences.
  var stateWords: String {
    let names = stateDescriptionsByName.keys.sorted().map { "'\($0)'" }
    return (names.count == 1 ? "the state " : "the states ") + names.joined(separator: ", ")
  }
}
