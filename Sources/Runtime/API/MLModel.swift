import CoreMLBase
import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// A loaded model that predicts. It is loaded from a compiled model (`.mlmodelc`) and can be used from any number of
/// threads concurrently.
///
/// Methods throw `MLModelError`. Its `underlyingError` names the file, feature or operation at fault, the expectation
/// and the finding.
///
/// A subclass can be created without a file (`init()`) as a test double and overrides the members that the test uses.
/// All other members throw.
// More than 400 lines over its files: Core ML has all these members on this one type.
// Sendable: immutable after initialization; the engine does its own locking
open class MLModel: NSObject, @unchecked Sendable {
  /// The inputs, outputs and metadata; empty for a subclass created without a file.
  open var modelDescription: MLModelDescription { loaded?.description ?? MLModelDescription() }

  /// A copy of the configuration that the model was loaded with.
  open var configuration: MLModelConfiguration { loaded?.configuration.copied ?? MLModelConfiguration() }

  /// The configuration's display name, otherwise the class's description.
  override open var description: String { loaded?.configuration.modelDisplayName ?? super.description }

  /// Set once, before the model is visible to other threads; nil for a subclass created without a file.
  final var loaded: LoadedModel?

  // MARK: loading

  /// Creates a model without a file, for subclasses that act as test doubles. Members that are not overridden throw
  /// `MLModelError` (`generic`).
  override public init() { super.init() }

  /// Loads a compiled model with the default configuration.
  ///
  /// - Throws: `MLModelError` with the code `io` if the folder cannot be read or is not a compiled model.
  public convenience init(contentsOf url: URL) throws {
    try self.init(contentsOf: url, configuration: MLModelConfiguration())
  }

  /// Loads a compiled model. Weights stay on disk until the first prediction needs them.
  ///
  /// - Throws: `MLModelError` with one of these codes:
  ///   - `io` if the folder cannot be read or is not a compiled model
  ///   - `generic` if the configured function is missing, or if the model uses something unsupported
  ///   - `parameters` for parameters that the model does not have
  public convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
    let model = try MLModelError.wrapping(.io, inputs: .io) {
      try configuration.bounds().loading { try CompiledModelLoader.load(url.path) }
    }
    try self.init(model, configuration: configuration, in: url.deletingLastPathComponent())
  }

  convenience init(_ model: ImportedModel, configuration: MLModelConfiguration, in folder: URL? = nil) throws {
    let loaded = try LoadedModel(model, configuration: configuration, in: folder)
    self.init()
    self.loaded = loaded
  }

  /// Loads a compiled model in the background. The handler is called once, on a system queue.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping (Result<MLModel, any Error>) -> Void
  ) {
    let configuration = configuration.copied
    inBackground(handler) { try MLModel(contentsOf: url, configuration: configuration) }
  }

  /// Runs `body` on a system queue and passes its result to the handler. Nothing else calls the handler.
  class func inBackground<Value>(
    _ handler: @escaping (Result<Value, any Error>) -> Void, _ body: @escaping @Sendable () throws -> Value
  ) {
    let handler = UncheckedSendable(handler)
    DispatchQueue.global().async { handler.value(Result { try body() }) }
  }

  /// Loads a compiled model without blocking the caller.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLModel {
    let configuration = configuration.copied
    return try await offCaller { try MLModel(contentsOf: url, configuration: configuration) }
  }

  // MARK: compiling

  /// Compiles a model file or package. Returns a `.mlmodelc` of the same base name in a new temporary folder; the
  /// caller moves it to its final location.
  public class func compileModel(at url: URL) throws -> URL {
    try compiling { try ModelCompiler.compile(url, check: DescriptionReader.check) }
  }

  /// Compiles under the limits of the process.
  class func compiling(_ body: () throws -> URL) throws -> URL {
    try MLModelError.wrapping(
      .io, inputs: .io, phrases: [.io: "Failed to copy original model files to the new destination"]
    ) { try RuntimeLimits.inForce().loading("compiling the model", body) }
  }

  /// Compiles a model file or package in the background. The handler is called once, on a system queue.
  public class func compileModel(
    at url: URL, completionHandler handler: @escaping (Result<URL, any Error>) -> Void
  ) {
    inBackground(handler) { try compileModel(at: url) }
  }

  /// Compiles a model file or package without blocking the caller.
  public class func compileModel(at url: URL) async throws -> URL {
    try await offCaller { try compiling { try ModelCompiler.compile(url, check: DescriptionReader.check) } }
  }

  // MARK: predicting

  /// Predicts from the features that `modelDescription.inputDescriptionsByName` names.
  ///
  /// - Throws: `MLModelError` with one of these codes:
  ///   - `featureType` if a feature is missing or does not match its description, and for a model with states; use
  ///     `prediction(from:using:)` for these
  ///   - `predictionCancelled` if the prediction is cancelled or exceeds its time limit
  open func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try prediction(from: input, options: MLPredictionOptions())
  }

  /// Predicts with options.
  open func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws
    -> any MLFeatureProvider
  {
    try Self.verifying {
      let model = try content
      if let customModel = model.customModel { return try customModel.prediction(from: input, options: options) }
      try model.requireNoStates()
      return try Prediction(model).run(input, options: options, states: model.engine.freshStates())
    }
  }

  /// Predicts each element of a batch.
  open func predictions(fromBatch batch: any MLBatchProvider) throws -> any MLBatchProvider {
    try predictions(from: batch, options: MLPredictionOptions())
  }

  /// Predicts each element of a batch. Each result is bit-identical to that of a single prediction.
  ///
  /// - Throws: `MLModelError` with the code `featureType` for a model with states, because a batch takes no state.
  ///   Errors of an element are those of a single prediction.
  open func predictions(from batch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
    if let customModel = loaded?.customModel {
      return try MLModelError.wrapping(.generic) { try customModel.predictions(from: batch, options: options) }
    }
    try loaded?.requireNoStates()
    let single = MLPredictionOptions()
    single.usesCPUOnly = options.usesCPUOnly
    if batch.count > 1, let loaded {
      if let rows = loaded.rows {
        return try MLModelError.wrapping(.generic) {
          MLArrayBatchProvider(array: try rows.predictions(from: batch) { try prediction(from: $0, options: single) })
        }
      }
      let first = RememberedFeatures(batch.features(at: 0))
      let together = try Self.verifying {
        try Prediction(loaded).predictions(from: batch, first: first, options: single) {
          try prediction(from: $0, options: single)
        }
      }
      if let together { return MLArrayBatchProvider(array: together) }
      // A custom provider class may inspect the runtime type of the provider that it gets.
      let given: any MLFeatureProvider = type(of: self) == MLModel.self ? first : first.provider
      return MLArrayBatchProvider(
        array: try (0..<batch.count).map { row in
          try prediction(from: row == 0 ? given : batch.features(at: row), options: single)
        })
    }
    return MLArrayBatchProvider(
      array: try (0..<batch.count).map { try prediction(from: batch.features(at: $0), options: single) })
  }

  /// Predicts rows (batch elements) from the caller's memory into the caller's memory, batched if that is faster. Stops
  /// at the first row that this fast path does not support and returns the number of rows predicted. Each result is
  /// bit-identical to that of a single prediction.
  package final func predict(
    rows: Range<Int>, from inputs: [String: BatchColumn], into outputs: [BatchColumn]
  ) throws -> Int {
    guard let loaded, loaded.customModel == nil, let rowed = loaded.rows else { return 0 }
    return try MLModelError.wrapping(.generic) { try rowed.predict(rows, from: inputs, into: outputs) }
  }

  /// The loaded model if its rows may be predicted in blocks: the model runs no application code.
  final var blockModel: LoadedModel? {
    guard type(of: self) == MLModel.self, let loaded, loaded.customModel == nil else { return nil }
    return loaded
  }

  // MARK: states

  /// Creates a new state, filled with zeros; empty for a model without states.
  open func makeState() -> MLState { MLState(loaded?.engine.stateTypes ?? [:]) }

  /// Predicts with a state and updates the state.
  ///
  /// - Throws: `MLModelError`, like `prediction(from:using:options:)`.
  open func prediction(from input: any MLFeatureProvider, using state: MLState) throws -> any MLFeatureProvider {
    try prediction(from: input, using: state, options: MLPredictionOptions())
  }

  /// Predicts with a state and updates the state. Predictions that share a state run one after the other.
  ///
  /// The state may come from another function or model if it has every state of this model, with the same type and
  /// shape.
  ///
  /// - Throws: `MLModelError` with the code `featureType` if the state does not match, or if a feature is missing or
  ///   does not match its description.
  open func prediction(
    from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try Self.verifying {
      let model = try content
      return try state.exclusively { buffers in
        try model.require(buffers)
        return try Prediction(model).run(input, options: options, states: buffers)
      }
    }
  }

  // MARK: parameters

  /// The value of a parameter of the model:
  ///
  /// - of a layer that is updatable: `weights` and `biases`, scoped to the layer, as an `MLMultiArray`
  /// - of a nearest-neighbor classifier: `numberOfNeighbors`
  /// - of an updatable model: the initial values of its training parameters
  /// - of a pipeline's linked models: `linkedModelFileName` and `linkedModelSearchPath`
  ///
  /// - Throws: `MLModelError` with the code `parameters` if the model has no such parameter.
  open func parameterValue(for key: MLParameterKey) throws -> Any { try content.parameterValue(for: key) }

  private static func verifying<Result>(_ body: () throws -> Result) throws -> Result {
    try MLModelError.wrapping(.generic, phrases: [.invalidInput: "Failure verifying inputs"], body)
  }
}

// MARK: the loaded model

extension MLModel {
  /// - Throws: `MLModelError` for a subclass created without a file.
  var content: LoadedModel {
    get throws {
      guard let loaded else {
        throw MLModelError(.generic, "the \(Swift.type(of: self)) was made without a model file")
      }
      return loaded
    }
  }

  /// - Precondition: the model was loaded from a file.
  private var given: LoadedModel {
    guard let loaded else { preconditionFailure("the \(Swift.type(of: self)) was made without a model file") }
    return loaded
  }

  var engine: Engine { given.engine }
  /// The engine for a prediction with `usesCPUOnly`.
  var cpuEngine: Engine { given.cpuEngine }
  var interface: ModelInterface { given.interface }
  /// The interpretation of a detector's outputs; nil for other models and for a model without a file.
  package var detections: Detections? { loaded?.engine.function.detections }
}
