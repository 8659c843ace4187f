/// A model as the code generators see it, independent of the output language.
package struct ModelClass: Sendable {
  /// The name of the class, an identifier in every language.
  package var name: String
  /// The base name of the compiled model in a bundle.
  package var resource: String
  package var specificationVersion: Int
  /// The author's metadata; empty strings if absent.
  package var summary: String
  package var author: String
  package var license: String
  package var version: String
  /// At least one function. The default function comes first.
  package var functions: [ModelFunction]
  /// The features of training examples; empty for a model that is not updatable.
  package var trainingInputs: [ModelFeature]

  /// The function that is loaded by default.
  package var defaultFunction: ModelFunction { functions[0] }
}

/// A function of a model, with its inputs and outputs.
package struct ModelFunction: Sendable {
  /// The name that a configuration selects.
  package var name: String
  package var inputs: [ModelFeature]
  package var outputs: [ModelFeature]
  package var states: [ModelFeature]
  /// The output with the prediction of a classifier or a regressor.
  package var predicted: String?
  /// The output with a classifier's probabilities.
  package var probabilities: String?
  /// A classifier's labels in the order of the probabilities, if they were read.
  package var labels: ModelLabels?
}

/// The labels of a classifier.
package enum ModelLabels: Sendable, Equatable {
  case strings([String])
  case integers([Int64])
}

/// An input, an output, a state or a training input.
package struct ModelFeature: Sendable {
  package var name: String
  package var kind: FeatureKind
  package var isOptional: Bool
  /// The author's description; empty if absent.
  package var summary: String
}
