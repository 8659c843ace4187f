import Foundation

/// A model whose code is the application's.
///
/// A model file names its class (`CustomModel.className`), and `MLCustomModelRegistry` says which class that is. One object is made when
/// the model, or a pipeline with it, is loaded; its methods are never called two at a time. What they throw comes out as an
/// `MLModelError` (`customModel`).
public protocol MLCustomModel: AnyObject {
  /// Makes the object of one model.
  ///
  /// - Parameters:
  ///   - modelDescription: the model's features and metadata.
  ///   - parameters: those of the model, by name: numbers and booleans as `NSNumber`, text as `String`, bytes as `Data`.
  init(modelDescription: MLModelDescription, parameters: [String: Any]) throws

  /// Predicts from features that are as the description says; optional ones may be absent.
  ///
  /// - Returns: every output of the description.
  func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider

  /// Predicts from each element of a batch. Where it is not implemented, one `prediction` follows another.
  func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider
}

extension MLCustomModel {
  public func predictions(
    from inputBatch: any MLBatchProvider, options: MLPredictionOptions
  ) throws -> any MLBatchProvider {
    MLArrayBatchProvider(
      array: try (0..<inputBatch.count).map { try prediction(from: inputBatch.features(at: $0), options: options) })
  }
}
