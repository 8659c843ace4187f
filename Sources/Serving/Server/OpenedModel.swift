import CoreMLServingInterface

/// A model that has been opened and tried, before it has a name and a place in the scheduler.
package struct OpenedModel: Sendable {
  /// The function of a multifunction model; nil for the default one.
  package var function: String?
  package var model: any ServableModel
  /// The metadata for a name and versions.
  package var metadata: @Sendable (String, [String]) -> ModelMetadata
  /// Checks a request without reading its elements, and returns the shapes that its bucket has.
  package var check: @Sendable (InferenceRequest) throws(ServingError) -> String
  /// Makes a state; nil for a model without states.
  package var makeState: (@Sendable () -> SequenceState)?
  package var memoryBytes: Int
  /// The seconds of one run; nil if unknown.
  package var runSeconds: Double?

  package init(
    function: String? = nil, model: any ServableModel, memoryBytes: Int = 0, runSeconds: Double? = nil,
    makeState: (@Sendable () -> SequenceState)? = nil,
    metadata: @escaping @Sendable (String, [String]) -> ModelMetadata,
    check: @escaping @Sendable (InferenceRequest) throws(ServingError) -> String = { _ throws(ServingError) in "" }
  ) {
    (self.function, self.model, self.memoryBytes, self.runSeconds) = (function, model, memoryBytes, runSeconds)
    (self.makeState, self.metadata, self.check) = (makeState, metadata, check)
  }
}
