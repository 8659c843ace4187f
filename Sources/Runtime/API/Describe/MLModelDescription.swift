import CoreMLImport
import Foundation

/// A model's features and metadata.
// Sendable: immutable; metadata holds strings and dictionaries of strings
public final class MLModelDescription: @unchecked Sendable {
  /// What a prediction must be given.
  public let inputDescriptionsByName: [String: MLFeatureDescription]
  /// What a prediction gives.
  public let outputDescriptionsByName: [String: MLFeatureDescription]
  /// What `MLModel.makeState()` makes; empty for a model without states.
  public let stateDescriptionsByName: [String: MLFeatureDescription]
  /// The output that a classifier or regressor predicts.
  public let predictedFeatureName: String?
  /// The output with a classifier's probabilities by label.
  public let predictedProbabilitiesName: String?
  /// What the author says of the model.
  public let metadata: [MLModelMetadataKey: Any]
  /// The labels of a classifier, strings or integers, in the order of its probabilities.
  public let classLabels: [Any]?
  /// Whether the model can be trained on the device.
  public let isUpdatable: Bool
  /// What a training task must be given.
  public let trainingInputDescriptionsByName: [String: MLFeatureDescription]
  /// Parameters that a training task may set.
  public let parameterDescriptionsByKey: [MLParameterKey: MLParameterDescription]
  /// The features in the order of the model.
  package let inputs, outputs, states, trainingInputs: [MLFeatureDescription]

  init(
    inputs: [MLFeatureDescription], outputs: [MLFeatureDescription], states: [MLFeatureDescription],
    predictedFeatureName: String?, predictedProbabilitiesName: String?, metadata: [MLModelMetadataKey: Any],
    classLabels: [Any]?, isUpdatable: Bool = false, trainingInputs: [MLFeatureDescription] = [],
    parameters: [MLParameterDescription] = []
  ) {
    func byName(_ features: [MLFeatureDescription]) -> [String: MLFeatureDescription] {
      Dictionary(features.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    (self.inputs, self.outputs, self.states, self.trainingInputs) = (inputs, outputs, states, trainingInputs)
    inputDescriptionsByName = byName(inputs)
    outputDescriptionsByName = byName(outputs)
    stateDescriptionsByName = byName(states)
    self.predictedFeatureName = predictedFeatureName
    self.predictedProbabilitiesName = predictedProbabilitiesName
    self.metadata = metadata
    self.classLabels = classLabels
    self.isUpdatable = isUpdatable
    trainingInputDescriptionsByName = byName(trainingInputs)
    parameterDescriptionsByKey = Dictionary(
      parameters.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
