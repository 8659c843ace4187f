import CoreML
import Foundation

/// A model with an image input, for requests.
// Sendable: the mutable state is behind the lock
open class VNCoreMLModel: NSObject, @unchecked Sendable {
  struct Inputs {
    var imageFeatureName: String
    var provider: (any MLFeatureProvider)?
  }

  let model: MLModel
  private let lock = NSLock()
  private var inputs: Inputs

  /// Creates a model for requests.
  ///
  /// - Throws: An error with the code `invalidModel` if no input is an image.
  public init(for model: MLModel) throws {
    let description = model.modelDescription
    let named = description.inputDescriptionsByName
    let names = description.inputs.isEmpty ? named.keys.sorted() : description.inputs.map(\.name)
    guard let name = names.first(where: { named[$0]?.imageConstraint != nil }) else {
      throw VNFailure(
        .invalidModel, "none of the model's inputs is an image: it has \(names.isEmpty ? "none" : "\(names)")")
    }
    self.model = model
    inputs = Inputs(imageFeatureName: name, provider: nil)
  }

  /// The current inputs.
  var snapshot: Inputs { lock.withLock { inputs } }

  /// The input that receives the image. The default is the first image input.
  open var inputImageFeatureName: String {
    get { lock.withLock { inputs.imageFeatureName } }
    set { lock.withLock { inputs.imageFeatureName = newValue } }
  }

  /// The values of the other inputs, such as thresholds of a detector. Its value for the image input is ignored.
  open var featureProvider: (any MLFeatureProvider)? {
    get { lock.withLock { inputs.provider } }
    set { lock.withLock { inputs.provider = newValue } }
  }
}

/// The image for one input, and the application's values for the others.
final class PictureFeatures: MLFeatureProvider {
  private let name: String
  private let picture: MLFeatureValue
  private let others: (any MLFeatureProvider)?

  init(_ name: String, _ picture: MLFeatureValue, _ others: (any MLFeatureProvider)?) {
    (self.name, self.picture, self.others) = (name, picture, others)
  }

  var featureNames: Set<String> { (others?.featureNames ?? []).union([name]) }

  func featureValue(for featureName: String) -> MLFeatureValue? {
    featureName == name ? picture : others?.featureValue(for: featureName)
  }
}
