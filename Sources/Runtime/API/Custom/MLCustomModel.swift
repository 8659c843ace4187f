import Foundation

/// A model that the application implements.
///
/// A model file names the class (`CustomModel.className`), and `MLCustomModelRegistry` maps the name to a Swift type.
/// Loading the model, or a pipeline that contains it, creates one object. The runtime never calls two of its methods
/// concurrently. An error that a method throws is reported as an `MLModelError` (`customModel`).
public protocol MLCustomModel: AnyObject {
  /// Creates the object of one model.
  ///
  /// - Parameters:
  ///   - modelDescription: the model's features and metadata.
  ///   - parameters: the model's parameters, by name: numbers and booleans as `NSNumber`, text as `String`, bytes as
  ///     `Data`.
  init(modelDescription: MLModelDescription, parameters: [String: Any]) throws

  /// Predicts from features that match the description. Optional features may be absent.
  ///
  /// - Returns: every output of the description.
  func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider

  /// Predicts from each element of a batch. The default implementation calls `prediction` for one element after the
  /// other.
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
