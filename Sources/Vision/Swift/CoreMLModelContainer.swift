import CoreML
import Foundation

/// A model with an image input, for requests.
///
/// Two containers are equal if they have the same model, feature provider and input.
// Sendable: a model may predict on any thread. Requests on several threads read the provider, which must support this.
public struct CoreMLModelContainer: Hashable, @unchecked Sendable {
  let model: MLModel
  /// The input that receives the image. The default is the first image input of the model.
  ///
  /// A request throws `VisionError.invalidModel` if the model has no image input of this name.
  public var inputImageFeatureName: String
  /// The values of the other inputs, such as a detector's thresholds. Its value for the image input is ignored.
  ///
  /// Apple's container takes the provider only in its initializer.
  public var featureProvider: (any MLFeatureProvider)?

  /// Creates a container for a model with an image input.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - featureProvider: The values of the other inputs.
  /// - Throws: `VisionError.invalidModel` if no input is an image.
  public init(model: MLModel, featureProvider: (any MLFeatureProvider)? = nil) throws {
    let image = try VisionError.renaming { try VNCoreMLModel(for: model).inputImageFeatureName }
    self.model = model
    inputImageFeatureName = image
    self.featureProvider = featureProvider
  }

  /// The container as a `VNCoreMLModel`.
  ///
  /// - Throws: `VisionError.invalidModel` if no image input has the name.
  func prepared() throws -> VNCoreMLModel {
    guard model.modelDescription.inputDescriptionsByName[inputImageFeatureName]?.imageConstraint != nil else {
      throw VisionError.invalidModel("the model has no input '\(inputImageFeatureName)' that is an image")
    }
    let prepared = try VisionError.renaming { try VNCoreMLModel(for: model) }
    prepared.inputImageFeatureName = inputImageFeatureName
    prepared.featureProvider = featureProvider
    return prepared
  }

  /// Whether both have the same model, feature provider and input.
  public static func == (a: CoreMLModelContainer, b: CoreMLModelContainer) -> Bool {
    a.model === b.model && a.inputImageFeatureName == b.inputImageFeatureName && a.featureProvider === b.featureProvider
  }

  /// Hashes the model's identity and the input's name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(model))
    hasher.combine(inputImageFeatureName)
  }
}
