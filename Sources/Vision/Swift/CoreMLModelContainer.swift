import CoreML
import Foundation

/// A model that takes an image, for requests.
///
/// Two containers are equal where both have the same model, feature provider and input.
// Sendable: a model may predict on any thread. Requests on several threads read the provider, which must bear it.
public struct CoreMLModelContainer: Hashable, @unchecked Sendable {
  let model: MLModel
  /// The input that is given the image: the first image input of the model unless another one is set.
  ///
  /// A request throws `VisionError.invalidModel` where the model has no image input of this name.
  public var inputImageFeatureName: String
  /// The values of the other inputs, such as a detector's thresholds. Its value of the image's input is not read.
  ///
  /// Apple's container takes the provider in its initialiser alone.
  public var featureProvider: (any MLFeatureProvider)?

  /// A container for a model with an image among its inputs.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - featureProvider: The values of the other inputs.
  /// - Throws: `VisionError.invalidModel` where none of the inputs is an image.
  public init(model: MLModel, featureProvider: (any MLFeatureProvider)? = nil) throws {
    let image = try VisionError.renaming { try VNCoreMLModel(for: model).inputImageFeatureName }
    self.model = model
    inputImageFeatureName = image
    self.featureProvider = featureProvider
  }

  /// The container as the older interface has it.
  ///
  /// - Throws: `VisionError.invalidModel` where no image input has the name.
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
