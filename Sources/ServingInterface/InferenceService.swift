/// What protocols call: the models of a server, their state, and inference.
///
/// `ModelServer` implements it. Protocol tests use an implementation of their own.
package protocol InferenceService: Sendable {
  /// Decides whether a request may send its tensors, before the server reads them. A protocol calls it when it knows the
  /// model and the size of the body. Inference asks again, so a protocol may leave it out.
  ///
  /// - Throws: `notFound`, `unavailable`, `exhausted`, `tooLarge`.
  func admit(model: String, version: String?, byteCount: Int, deadline: ContinuousClock.Instant?) throws(ServingError)

  /// Runs a request. Cancelling the task removes the request from its queue, or stops it while it runs.
  func infer(_ request: InferenceRequest) async throws(ServingError) -> InferenceAnswer

  func metadata(model: String, version: String?) throws(ServingError) -> ModelMetadata
  /// The versions of one model, or of all models.
  func statistics(model: String?, version: String?) throws(ServingError) -> [ModelStatistics]
  func index(readyOnly: Bool) -> [ModelStatus]

  /// Whether the process answers.
  var isLive: Bool { get }
  /// Whether all models that were asked for are ready, and the server is not draining.
  var isReady: Bool { get }
  func isReady(model: String, version: String?) throws(ServingError) -> Bool

  /// Loads a model, or its newest version, and returns when it answers.
  func load(model: String, parameters: [String: ParameterValue]) async throws(ServingError)
  func unload(model: String, parameters: [String: ParameterValue]) async throws(ServingError)
}
