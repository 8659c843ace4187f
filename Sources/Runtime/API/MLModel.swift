import CoreMLBase
import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// A model that predicts: loaded from a compiled model (`.mlmodelc`), safe to use from any number of threads at once.
///
/// Errors are `MLModelError`s; their `underlyingError` names the file, feature or operation at fault, what was expected and what was found.
///
/// A subclass may be made without a file (`init()`), to stand for a model in tests: it overrides what it is asked. What it does not
/// override throws.
// Sendable: everything is set when it is made; the engine does its own locking
open class MLModel: NSObject, @unchecked Sendable {
  /// Inputs, outputs and metadata; empty for a subclass that was made without a file.
  open var modelDescription: MLModelDescription { loaded?.description ?? MLModelDescription() }

  /// A copy of the configuration that the model was loaded with.
  open var configuration: MLModelConfiguration { loaded?.configuration.copied ?? MLModelConfiguration() }

  /// The name that the configuration has for the model, else the class's.
  override open var description: String { loaded?.configuration.modelDisplayName ?? super.description }

  /// Set once, before anybody else sees the model; nil for a subclass that was made without a file.
  private var loaded: LoadedModel?

  // MARK: loading

  /// For subclasses that stand for a model: there is no file behind it, and what is not overridden throws `MLModelError` (`generic`).
  override public init() { super.init() }

  /// Loads a compiled model with the default configuration.
  ///
  /// - Throws: `MLModelError`, `io` where the folder cannot be read or is no compiled model.
  public convenience init(contentsOf url: URL) throws {
    try self.init(contentsOf: url, configuration: MLModelConfiguration())
  }

  /// Loads a compiled model. Weights stay on disk until the first prediction needs them.
  ///
  /// - Throws: `MLModelError`: `io` where the folder cannot be read or is no compiled model, `generic` where it has no such function or
  ///   something in it is not supported, `parameters` for parameters that it does not have.
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

  /// Loads a compiled model in the background; the handler is called once, on a queue of the system.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping (Result<MLModel, any Error>) -> Void
  ) {
    let configuration = configuration.copied
    inBackground(handler) { try MLModel(contentsOf: url, configuration: configuration) }
  }

  /// Runs `body` on a queue of the system and hands its result to the handler, which nobody else calls.
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

  /// Compiles a model file or package; gives a `.mlmodelc` of the same base name in a fresh temporary folder, which the caller moves to
  /// where it is to stay.
  public class func compileModel(at url: URL) throws -> URL {
    try compiling { try ModelCompiler.compile(url, check: DescriptionReader.check) }
  }

  /// Compiles under the process's limits.
  class func compiling(_ body: () throws -> URL) throws -> URL {
    try MLModelError.wrapping(
      .io, inputs: .io, phrases: [.io: "Failed to copy original model files to the new destination"]
    ) { try RuntimeLimits.inForce().loading("compiling the model", body) }
  }

  /// Compiles a model file or package in the background; the handler is called once, on a queue of the system.
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
  /// - Throws: `MLModelError`, `featureType` where a feature is missing or is not what the description says, and for a model that keeps
  ///   states: `prediction(from:using:)` takes one.
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

  /// Predicts every row of a batch.
  open func predictions(fromBatch batch: any MLBatchProvider) throws -> any MLBatchProvider {
    try predictions(from: batch, options: MLPredictionOptions())
  }

  /// Predicts every row; each equals its single prediction bit for bit. A batch takes no state.
  open func predictions(from batch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
    if let customModel = loaded?.customModel {
      return try MLModelError.wrapping(.generic) { try customModel.predictions(from: batch, options: options) }
    }
    try loaded?.requireNoStates()
    let single = MLPredictionOptions()
    single.usesCPUOnly = options.usesCPUOnly
    if batch.count > 1, let loaded, loaded.limits.predictionTime == nil {
      if let rows = loaded.rows {
        return try MLModelError.wrapping(.generic) {
          MLArrayBatchProvider(array: try rows.predictions(from: batch) { try prediction(from: $0, options: single) })
        }
      }
      let first = RememberedFeatures(batch.features(at: 0))
      let together = try Self.verifying {
        try Prediction(loaded).predictions(from: batch, first: first, options: single)
      }
      if let together { return MLArrayBatchProvider(array: together) }
      // A class of the caller's own may look at the type of what it is given.
      let given: any MLFeatureProvider = type(of: self) == MLModel.self ? first : first.provider
      return MLArrayBatchProvider(
        array: try (0..<batch.count).map { row in
          try prediction(from: row == 0 ? given : batch.features(at: row), options: single)
        })
    }
    return MLArrayBatchProvider(
      array: try (0..<batch.count).map { try prediction(from: batch.features(at: $0), options: single) })
  }

  /// Predicts rows of the caller's memory into the caller's memory, together where they gain by it, as many from the first on as are of numbers:
  /// how many they were. Each equals its single prediction bit for bit.
  package final func predict(
    rows: Range<Int>, from inputs: [String: BatchColumn], into outputs: [BatchColumn]
  ) throws -> Int {
    guard let loaded, loaded.customModel == nil, loaded.limits.predictionTime == nil, let rowed = loaded.rows else {
      return 0
    }
    return try MLModelError.wrapping(.generic) { try rowed.predict(rows, from: inputs, into: outputs) }
  }

  /// The model, where its rows may be predicted in blocks: no code of an application takes part, and no prediction has a limit of time.
  final var blockModel: LoadedModel? {
    guard type(of: self) == MLModel.self, let loaded, loaded.customModel == nil, loaded.limits.predictionTime == nil
    else {
      return nil
    }
    return loaded
  }

  // MARK: states

  /// Fresh state, zero everywhere; empty for a model without states.
  open func makeState() -> MLState { MLState(loaded?.engine.stateTypes ?? [:]) }

  /// Predicts with a state, which it changes.
  open func prediction(from input: any MLFeatureProvider, using state: MLState) throws -> any MLFeatureProvider {
    try prediction(from: input, using: state, options: MLPredictionOptions())
  }

  /// Predicts with a state, which it changes. Predictions that share a state run one after the other.
  ///
  /// The state may be of another function or another model, as long as it has every state of this one, in the same type and shape.
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

  /// The value of a parameter of the model: `weights` and `biases`, scoped to a layer that is updatable, as an `MLMultiArray`; of a
  /// nearest-neighbor classifier `numberOfNeighbors`; of an updatable model what its training starts with; of a pipeline's linked models
  /// `linkedModelFileName` and `linkedModelSearchPath`.
  ///
  /// - Throws: `MLModelError` with the code `parameters` where the model has no such parameter.
  open func parameterValue(for key: MLParameterKey) throws -> Any { try content.parameterValue(for: key) }

  private static func verifying<Result>(_ body: () throws -> Result) throws -> Result {
    try MLModelError.wrapping(.generic, phrases: [.invalidInput: "Failure verifying inputs"], body)
  }
}

// MARK: what was loaded

extension MLModel {
  /// - Throws: `MLModelError` for a subclass that was made without a file.
  var content: LoadedModel {
    get throws {
      guard let loaded else {
        throw MLModelError(.generic, "the \(Swift.type(of: self)) was made without a model file")
      }
      return loaded
    }
  }

  /// - Precondition: the model was loaded.
  private var given: LoadedModel {
    guard let loaded else { preconditionFailure("the \(Swift.type(of: self)) was made without a model file") }
    return loaded
  }

  var engine: Engine { given.engine }
  /// The engine for a prediction that asks for the CPU.
  var cpuEngine: Engine { given.cpuEngine }
  var interface: ModelInterface { given.interface }
  /// What the model's outputs say of objects in a picture, where it is a detector; nil for a model without a file.
  package var detections: Detections? { loaded?.engine.function.detections }
}

// MARK: without blocking the caller

extension MLModel {
  /// Predicts without blocking the caller. Cancelling the task stops it between operations.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = UncheckedSendable(input)
    let options = UncheckedSendable(options)
    return try await offCaller {
      UncheckedSendable(try self.prediction(from: input.value, options: options.value))
    }.value
  }

  /// Predicts with a state without blocking the caller. Cancelling the task stops it between operations.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = UncheckedSendable(input)
    let options = UncheckedSendable(options)
    return try await offCaller {
      UncheckedSendable(try self.prediction(from: input.value, using: state, options: options.value))
    }.value
  }

  /// Predicts in the background; the handler is called once, on a queue of the system, with the features or an error.
  public func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions(),
    completionHandler handler: @escaping ((any MLFeatureProvider)?, (any Error)?) -> Void
  ) {
    let (input, options) = (UncheckedSendable(input), UncheckedSendable(options))
    Self.inBackground({ $0.tell(handler) }) { try self.prediction(from: input.value, options: options.value) }
  }
}

/// Runs `body` on a thread of its own queue; a cancelled task's cancellation reaches it through `Cancellation`.
package func offCaller<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  let cancellation = Cancellation()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Swift.Result { try cancellation.during(body) })
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
}
