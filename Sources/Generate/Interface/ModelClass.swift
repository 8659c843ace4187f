/// A model as those who write code for it see it: what every emitter reads, and nothing that depends on a language.
package struct ModelClass: Sendable {
  /// What the class is called; an identifier in every language.
  package var name: String
  /// The base name of the compiled model, as it stands in a bundle.
  package var resource: String
  package var specificationVersion: Int
  /// What the author says of the model; each is empty where nothing is said.
  package var summary: String
  package var author: String
  package var license: String
  package var version: String
  /// At least one; the one that is loaded when none is asked for comes first.
  package var functions: [ModelFunction]
  /// What examples have that the model learns from; none where it does not learn.
  package var trainingInputs: [ModelFeature]

  /// The function that is loaded when none is asked for.
  package var defaultFunction: ModelFunction { functions[0] }
}

/// A function of a model: what a prediction takes and gives.
package struct ModelFunction: Sendable {
  /// The name that a configuration asks for.
  package var name: String
  package var inputs: [ModelFeature]
  package var outputs: [ModelFeature]
  package var states: [ModelFeature]
  /// The output that a classifier or a regressor predicts.
  package var predicted: String?
  /// The output with a classifier's probabilities.
  package var probabilities: String?
  /// Of a classifier, where they were asked for: in the order of the probabilities.
  package var labels: ModelLabels?
}

/// The classes of a classifier.
package enum ModelLabels: Sendable, Equatable {
  case strings([String])
  case integers([Int64])
}

/// An input, an output, a state or a training input.
package struct ModelFeature: Sendable {
  package var name: String
  package var kind: FeatureKind
  package var isOptional: Bool
  /// What the author says of it; empty where nothing is said.
  package var summary: String
}
