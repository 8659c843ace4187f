import CoreMLExecution
import CoreMLImport
import CoreMLKernels
import CoreMLSpec
import Foundation
import MIL

/// A model that predicts: loaded from a compiled model (`.mlmodelc`), safe to use from any number of threads at once.
///
/// Errors are `MLModelError`s; their `underlying` error names the file, feature or operation at fault, what was expected and what was found.
public class MLModel: @unchecked Sendable {  // everything is set when it is made; the engine does its own locking
  /// Inputs, outputs and metadata.
  public let modelDescription: MLModelDescription
  let engine: Engine
  let interface: ModelInterface
  /// Image features whose first channel is blue.
  let blueFirst: Set<String>
  /// How the program's outputs become features.
  let outputBindings: [String: OutputBinding]
  private let settings: MLModelConfiguration
  /// In force when the model was loaded.
  let limits: RuntimeLimits
  /// The application's code, where that is all there is to the model.
  private let customModel: CustomModelCode?
  private let rowLock = NSLock()
  /// Nil before anybody asked.
  private var knownRows: RowFeatures??
  /// The last to go, when the engine's memory is free.
  private let memory = MemoryReturn()

  /// A copy of the configuration that the model was loaded with.
  public var configuration: MLModelConfiguration {
    (settings.copy() as? MLModelConfiguration) ?? MLModelConfiguration()
  }

  /// What predicts rows without much around them; nil for a model that is none of rows.
  var rows: RowFeatures? {
    rowLock.lock()
    defer { rowLock.unlock() }
    if let knownRows { return knownRows }
    let made = RowFeatures(engine, modelDescription, interface, outputBindings)
    knownRows = .some(made)
    return made
  }

  /// The engine for a prediction that asks for the CPU.
  var cpuEngine: Engine { engine.onCPU }

  // MARK: loading

  /// Loads a compiled model with the default configuration.
  public convenience init(contentsOf url: URL) throws {
    try self.init(contentsOf: url, configuration: MLModelConfiguration())
  }

  /// Loads a compiled model. Weights stay on disk until the first prediction needs them.
  public convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
    let model = try MLModelError.wrapping(.io) {
      try configuration.bounds().loading { try CompiledModelLoader.load(url.path) }
    }
    try self.init(model, configuration: configuration)
  }

  init(_ model: ImportedModel, configuration: MLModelConfiguration) throws {
    let settings = (configuration.copy() as? MLModelConfiguration) ?? configuration
    self.settings = settings
    interface = model.interface
    let bounds = try MLModelError.wrapping(.generic) { try settings.bounds() }
    limits = bounds.limits
    (modelDescription, blueFirst, engine) = try MLModelError.wrapping(.generic) {
      let reader = try DescriptionReader(model.interface)
      let name = try reader.functionName(settings.functionName)
      guard let function = model.program.functions[name] else {
        throw RuntimeError(
          .invalidModel, "the model has no function '\(name)'; it has \(model.program.functions.keys.sorted())")
      }
      let devices = try DeviceChoice(settings.devices)
      return try bounds.loading {
        (
          try reader.description(function: name, labels: function.classLabels), try reader.blueFirst(),
          Engine(
            function: try ApplicationCode.bound(
              function.configured(settings.parameters, allowed: model.interface.updateParameters)),
            devices: devices, weights: WeightStore(model))
        )
      }
    }
    let (interface, blueFirst) = (interface, blueFirst)
    outputBindings = modelDescription.outputDescriptionsByName.mapValues {
      OutputBinding(description: $0, interface: interface, isBGR: blueFirst.contains($0.name))
    }
    let operations = interface.modelType == "customModel" ? engine.function.body.operations : []
    customModel = operations.lazy.compactMap { $0.code as? CustomModelCode }.first
  }

  /// Loads a compiled model in the background; the handler is called once.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration(),
    completionHandler handler: @escaping @Sendable (Result<MLModel, any Error>) -> Void
  ) {
    let configuration = UncheckedSendable((configuration.copy() as? MLModelConfiguration) ?? configuration)
    DispatchQueue.global().async {
      handler(Result { try MLModel(contentsOf: url, configuration: configuration.value) })
    }
  }

  /// Loads a compiled model without blocking the caller.
  public class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()
  ) async throws -> MLModel {
    let configuration = UncheckedSendable((configuration.copy() as? MLModelConfiguration) ?? configuration)
    return try await offCaller { try MLModel(contentsOf: url, configuration: configuration.value) }
  }

  // MARK: compiling

  /// Compiles a model file or package; gives a `.mlmodelc` of the same base name in a fresh temporary folder, which the caller moves to
  /// where it is to stay.
  public class func compileModel(at url: URL) throws -> URL {
    try compiling { try ModelCompiler.compile(url) }
  }

  /// Compiles under the process's limits.
  class func compiling(_ body: () throws -> URL) throws -> URL {
    try MLModelError.wrapping(.io) { try RuntimeLimits.inForce().loading("compiling the model", body) }
  }

  public class func compileModel(
    at url: URL, completionHandler handler: @escaping @Sendable (Result<URL, any Error>) -> Void
  ) {
    DispatchQueue.global().async { handler(Result { try compileModel(at: url) }) }
  }

  public class func compileModel(at url: URL) async throws -> URL {
    try await offCaller { try compiling { try ModelCompiler.compile(url) } }
  }

  // MARK: predicting

  public func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try prediction(from: input, options: MLPredictionOptions())
  }

  public func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws
    -> any MLFeatureProvider
  {
    try MLModelError.wrapping(.generic) {
      if let customModel { return try customModel.prediction(from: input, options: options) }
      return try Prediction(self).run(input, options: options, states: engine.freshStates())
    }
  }

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

  public func predictions(fromBatch batch: any MLBatchProvider) throws -> any MLBatchProvider {
    try predictions(from: batch, options: MLPredictionOptions())
  }

  /// Predicts every row; each equals its single prediction bit for bit.
  public func predictions(from batch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
    if let customModel {
      return try MLModelError.wrapping(.generic) { try customModel.predictions(from: batch, options: options) }
    }
    let single = MLPredictionOptions()
    single.usesCPUOnly = options.usesCPUOnly
    guard batch.count > 1, limits.predictionTime == nil, let rows else {
      return MLArrayBatchProvider(
        array: try (0..<batch.count).map { try prediction(from: batch.features(at: $0), options: single) })
    }
    return try MLModelError.wrapping(.generic) {
      MLArrayBatchProvider(array: try rows.predictions(from: batch) { try prediction(from: $0, options: single) })
    }
  }

  // MARK: states

  /// Fresh state, zero everywhere; empty for a model without states.
  public func makeState() -> MLState { MLState(engine.stateTypes) }

  public func prediction(from input: any MLFeatureProvider, using state: MLState) throws -> any MLFeatureProvider {
    try prediction(from: input, using: state, options: MLPredictionOptions())
  }

  /// Predicts with a state, which it changes. Predictions that share a state run one after the other.
  public func prediction(
    from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try MLModelError.wrapping(.generic) {
      try state.exclusively { buffers in try Prediction(self).run(input, options: options, states: buffers) }
    }
  }

  public func prediction(
    from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    let input = UncheckedSendable(input)
    let options = UncheckedSendable(options)
    return try await offCaller {
      UncheckedSendable(try self.prediction(from: input.value, using: state, options: options.value))
    }.value
  }
}

/// Carries a value across threads that nobody else touches meanwhile.
struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
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
