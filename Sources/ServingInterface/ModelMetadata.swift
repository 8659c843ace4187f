/// What protocols tell of a model: names, types and shapes of its tensors.
package struct ModelMetadata: Sendable {
  package struct Tensor: Sendable {
    package var name: String
    package var type: TensorType
    /// -1 for an axis that a request chooses.
    package var shape: [Int]
    /// Whether a request may leave the input out.
    package var isOptional: Bool
    /// The class labels of a probability output; otherwise empty.
    package var labels: [String]
    /// What the protocol has no field for, such as `content_type` of a picture.
    package var parameters: [String: ParameterValue]

    package init(
      name: String, type: TensorType, shape: [Int], isOptional: Bool = false, labels: [String] = [],
      parameters: [String: ParameterValue] = [:]
    ) {
      (self.name, self.type, self.shape, self.isOptional) = (name, type, shape, isOptional)
      (self.labels, self.parameters) = (labels, parameters)
    }
  }

  package var name: String
  package var versions: [String]
  /// Always `coreml`.
  package var platform: String
  package var inputs: [Tensor]
  package var outputs: [Tensor]
  /// Whether the model keeps a state, so that requests need a sequence.
  package var isStateful: Bool
  package var parameters: [String: ParameterValue]

  package init(
    name: String, versions: [String], inputs: [Tensor], outputs: [Tensor], isStateful: Bool = false,
    parameters: [String: ParameterValue] = [:]
  ) {
    (self.name, self.versions, self.platform) = (name, versions, "coreml")
    (self.inputs, self.outputs, self.isStateful, self.parameters) = (inputs, outputs, isStateful, parameters)
  }
}

/// The state of one version of a model, as the repository index lists it.
package struct ModelStatus: Sendable {
  package enum State: String, Sendable {
    case ready = "READY", unavailable = "UNAVAILABLE", loading = "LOADING", unloading = "UNLOADING"
  }

  package var name: String
  package var version: String
  package var state: State
  /// Why the version is not ready, or why an update failed; otherwise empty.
  package var reason: String

  package init(name: String, version: String, state: State, reason: String) {
    (self.name, self.version, self.state, self.reason) = (name, version, state, reason)
  }
}
