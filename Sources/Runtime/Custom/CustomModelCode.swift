import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// Runs a custom model, as the operation `ml.custom` or as a model of its own. It has one object of the application's
/// class, which one thread at a time calls.
final class CustomModelCode: OperationCode, @unchecked Sendable {  // the lock guards the object
  private let model: any MLCustomModel
  /// Recursive, because a method may predict with the model that contains this object.
  private let lock = NSRecursiveLock()
  private let name: String
  private let features: CustomModelFeatures

  /// Creates the object.
  init(_ arguments: CustomArguments) throws {
    let className = try arguments.string("class_name")
    let name = "the custom model of the class '\(className)'"
    guard let type = MLCustomModelRegistry.type(className) else {
      throw RuntimeError(
        .customModel,
        "\(name) cannot be made: no such class is registered (MLCustomModelRegistry.register(_:forClassName:))")
    }
    self.name = name
    features = try CustomModelFeatures(Bytes([UInt8](arguments.data("description").first ?? Data())), name)
    let parameters = try arguments.parameters()
    let description = features.description
    model = try Self.asking("init(modelDescription:parameters:)", of: name) {
      try type.init(modelDescription: description, parameters: parameters)
    }
  }

  /// Calls a method of the application. An error is reported with the name of the method.
  private static func asking<R>(_ method: String, of name: String, _ body: () throws -> R) throws -> R {
    do { return try body() } catch {
      throw RuntimeError(.customModel, "\(name): \(method) threw: \(error.sentence)", cause: error)
    }
  }

  // MARK: as an operation

  func outputTypes(_ call: Invocation) throws -> [ValueType] { call.operation.outputs.map(\.type) }

  func evaluate(_ call: Invocation, outputs: [ValueType]) throws -> [Value] {
    let count = features.inputs.count
    guard call.count("values") == count, call.count("given") == count, outputs.count == features.outputs.count else {
      throw call.error(.invalidProgram, "\(name) has \(count) inputs and \(features.outputs.count) outputs")
    }
    var given: [String: Any] = [:]
    for (index, feature) in features.inputs.enumerated() {
      guard try call.constant("given", index).bools().first == true else { continue }
      given[feature.name] = try features.feature(call.value("values", index), feature)
    }
    let result = try predict(try MLDictionaryFeatureProvider(dictionary: given), MLPredictionOptions())
    return try zip(features.outputs, outputs).map { try features.value(result, $0, $1) }
  }

  private func predict(
    _ input: any MLFeatureProvider, _ options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try lock.withLock {
      try Self.asking("prediction(from:options:)", of: name) { try model.prediction(from: input, options: options) }
    }
  }

  // MARK: as a model

  func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try features.checked(predict(features.accepted(input), options))
  }

  func predictions(from batch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
    let inputs = MLArrayBatchProvider(
      array: try (0..<batch.count).map { try features.accepted(batch.features(at: $0)) })
    let results = try lock.withLock {
      try Self.asking("predictions(from:options:)", of: name) { try model.predictions(from: inputs, options: options) }
    }
    guard results.count == batch.count else {
      throw RuntimeError(.customModel, "\(name) gave \(results.count) predictions for a batch of \(batch.count)")
    }
    return MLArrayBatchProvider(array: try (0..<results.count).map { try features.checked(results.features(at: $0)) })
  }
}
