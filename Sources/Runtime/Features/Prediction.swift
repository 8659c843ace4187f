import CoreMLBase
import CoreMLExecution
import CoreMLImport
import Foundation
import MIL

/// One prediction: converts the input features, runs the engine, and converts the outputs.
struct Prediction {
  private let model: LoadedModel

  init(_ model: LoadedModel) { self.model = model }

  func run(
    _ input: any MLFeatureProvider, options: MLPredictionOptions, states: StateBuffers, shouldStop: (() -> Bool)? = nil
  ) throws -> any MLFeatureProvider {
    try model.limits.predicting { try predict(input, options: options, states: states, shouldStop: shouldStop) }
  }

  private func predict(
    _ input: any MLFeatureProvider, options: MLPredictionOptions, states: StateBuffers, shouldStop: (() -> Bool)?
  ) throws -> any MLFeatureProvider {
    // The tabular fast path does not call `shouldStop`, which the engine calls between steps.
    if shouldStop == nil, let rows = model.rows, let result = try rows.prediction(from: input, options) {
      return result
    }
    let engine = engine(options)
    let given = try engine.budget.during { try values(of: input, for: engine, borrowing: true) }
    let bindings = model.outputBindings
    for (name, backing) in options.outputBackings { try bindings[name]?.require(backing) }
    var arrays: [String: MLMultiArray] = [:]
    return try engine.run(given, states: states, shouldStop: shouldStop) { name, type in
      arrays[name] = try bindings[name]?.array(for: type, backing: options.outputBackings[name])
      return arrays[name]?.dataPointer
    } read: { values in
      try features(values, bindings, options.outputBackings.merging(arrays) { $1 })
    }
  }

  private func engine(_ options: MLPredictionOptions) -> Engine {
    options.usesCPUOnly ? model.cpuEngine : model.engine
  }

  /// Predicts the rows of a batch in runs of several rows, so that each run reads large weights once. Returns nil if
  /// that is not faster. The caller passes the first row, because it has read it already, and a provider may be able to
  /// return each row only once.
  ///
  /// With a time limit, the rows of a run together get the time of one prediction. If they exceed it, `single` predicts
  /// them and all later rows one by one, each under its own limit.
  func predictions(
    from batch: any MLBatchProvider, first row: RememberedFeatures, options: MLPredictionOptions,
    single: (any MLFeatureProvider) throws -> any MLFeatureProvider
  ) throws -> [any MLFeatureProvider]? {
    let engine = engine(options)
    let bindings = model.outputBindings
    var results: [any MLFeatureProvider] = []
    typealias Row = (provider: any MLFeatureProvider, values: [String: Value])
    func read(_ provider: any MLFeatureProvider, as given: (any MLFeatureProvider)? = nil) throws -> Row {
      let values = try model.limits.predicting {
        try engine.budget.during { try self.values(of: given ?? provider, for: engine, borrowing: true) }
      }
      return (provider, values)
    }
    var ahead = [try read(row.provider, as: row)]
    let most = try engine.largestGroup(ahead[0].values)
    guard most > 1 else { return nil }
    while results.count < batch.count {
      let first = results.count
      while ahead.count < min(most, batch.count - first) {
        ahead.append(try read(batch.features(at: first + ahead.count)))
      }
      var arrays: [[String: MLMultiArray]] = Array(repeating: [:], count: ahead.count)
      do {
        let done = try model.limits.predicting {
          try engine.runGroup(ahead.map(\.values)) { number, name, type in
            arrays[number][name] = try bindings[name]?.array(for: type, backing: nil)
            return arrays[number][name]?.dataPointer
          } read: { number, values in
            results.append(try features(values, bindings, arrays[number]))
          }
        }
        ahead.removeFirst(done)
      } catch let error as MLModelError where error.cause == .overTime && ahead.count > 1 {
        results.removeSubrange(first...)
        for row in ahead { results.append(try single(row.provider)) }
        while results.count < batch.count { results.append(try single(batch.features(at: results.count))) }
      }
    }
    return results
  }

  /// Converts the outputs of a function to features. `backings` are the arrays and images to return; some may already
  /// contain the values.
  private func features(
    _ values: [(name: String, value: Value)], _ bindings: [String: OutputBinding], _ backings: [String: Any]
  ) throws -> MLDictionaryFeatureProvider {
    var features: [String: MLFeatureValue] = [:]
    for (name, value) in values {
      guard let binding = bindings[name] else { continue }
      features[name] = try binding.feature(value, backing: backings[name])
    }
    return MLDictionaryFeatureProvider(values: features)
  }

  /// Converts features to the inputs of an engine of the model, or of a part of it.
  ///
  /// - Parameter borrowing: whether tensors may use the memory of arrays without a copy: the caller cannot change the
  ///   features while the values are in use.
  func values(
    of input: any MLFeatureProvider, for engine: Engine, borrowing: Bool = false
  ) throws -> [String: Value] {
    var given: [String: Value] = [:]
    for declared in engine.inputs { given[declared.name] = try value(of: declared, input, borrowing) }
    return given
  }

  /// The value of an input of the function: the feature of that name, or its default if the caller omitted an optional
  /// feature. An input may also be a flag that tells whether the caller gave a feature.
  private func value(
    of declared: NamedType, _ input: any MLFeatureProvider, _ borrows: Bool
  ) throws -> Value {
    let name = declared.name
    func given(_ name: String) -> MLFeatureValue? {
      input.featureValue(for: name).flatMap { $0.isUndefined ? nil : $0 }
    }
    let descriptions = model.description.inputDescriptionsByName
    guard let description = descriptions[name] else {
      if let feature = FeatureTypes.feature(ofPresence: name), descriptions[feature] != nil {
        return .bool(given(feature) != nil)
      }
      throw RuntimeError(.invalidModel, "the program's input '\(name)' is not described as a feature")
    }
    let binding = InputBinding(
      description: description, type: declared.type, interface: model.interface, isBGR: model.blueFirst.contains(name),
      borrows: borrows, isDefaulted: model.defaultedInputs.contains(name))
    if let value = given(name) { return try binding.value(value) }
    // Core ML uses the model's own thresholds if the caller omits them, even if they are not optional. Vision passes
    // only the image to a detector.
    guard description.isOptional || binding.isDefaulted else {
      throw RuntimeError(.invalidInput, "input '\(name)' is missing")
    }
    return try binding.missing(batch: batch(given, descriptions))
  }

  /// The batch size of a model with the rank-5 mapping: the second axis of its (Seq, Batch, C) or (Seq, Batch, C, H, W)
  /// inputs. It is 1 for other models.
  private func batch(
    _ given: (String) -> MLFeatureValue?, _ descriptions: [String: MLFeatureDescription]
  ) -> Int {
    guard model.interface.isNetwork, model.interface.arrayMapping == .rank5 else { return 1 }
    let batches = descriptions.compactMap { name, description -> Int? in
      guard let shape = given(name)?.multiArrayValue?.layout.shape else { return nil }
      let isSequence = shape.count == 5 || shape.count == 3 && description.multiArrayConstraint?.shape.count == 1
      return isSequence ? shape[1] : nil
    }
    return batches.max() ?? 1
  }
}
