import CoreML
import Foundation

/// A model that takes a picture, for requests.
// Sendable: what changes is behind the lock
open class VNCoreMLModel: NSObject, @unchecked Sendable {
  struct Inputs {
    var imageFeatureName: String
    var provider: (any MLFeatureProvider)?
  }

  let model: MLModel
  private let lock = NSLock()
  private var inputs: Inputs

  /// A model one of whose inputs is a picture.
  ///
  /// - Throws: an error with the code `invalidModel` where none is.
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

  /// The inputs as they are now.
  var snapshot: Inputs { lock.withLock { inputs } }

  /// The input that is given the picture: the first one that is a picture unless something else is said.
  open var inputImageFeatureName: String {
    get { lock.withLock { inputs.imageFeatureName } }
    set { lock.withLock { inputs.imageFeatureName = newValue } }
  }

  /// What the other inputs are given, such as thresholds of a detector. What it says of the picture's input is not asked.
  open var featureProvider: (any MLFeatureProvider)? {
    get { lock.withLock { inputs.provider } }
    set { lock.withLock { inputs.provider = newValue } }
  }
}

/// A picture for one input, and for the others what the application gives.
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
