import CoreML
import CoreMLImages
import Foundation

/// The one revision of requests for models.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VNCoreMLRequestRevision1 = 1

/// Asks a model what it says of a picture.
///
/// The picture is turned upright, the region of interest cut out, brought to the model's size as `imageCropAndScaleOption` says, and to its pixel
/// format. Results are, in this order of preference:
///
/// - of a classifier that gives probabilities: a `VNClassificationObservation` for each class, the most probable one first;
/// - of a detector (a pipeline that ends in a non-maximum suppression which names its classes): a `VNRecognizedObjectObservation` for each box;
/// - else for each output, in the order of the model, a `VNPixelBufferObservation` where it is a picture and a
///   `VNCoreMLFeatureValueObservation` where it is not.
open class VNCoreMLRequest: VNImageBasedRequest, @unchecked Sendable {
  /// The model.
  public let model: VNCoreMLModel

  /// A request with a handler that is called when it is done.
  public init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) {
    self.model = model
    super.init(completionHandler: completionHandler)
  }

  /// How pictures become pictures of the model's size; `centerCrop` unless something else is said.
  open var imageCropAndScaleOption: VNImageCropAndScaleOption {
    get { settings.withLock { $0.cropAndScale } }
    set { settings.withLock { $0.cropAndScale = newValue } }
  }

  override func observations(in picture: UprightPicture) throws -> [VNObservation] {
    let inputs = model.snapshot
    let description = model.model.modelDescription
    guard let constraint = description.inputDescriptionsByName[inputs.imageFeatureName]?.imageConstraint else {
      throw VNFailure(.invalidArgument, "the model has no input '\(inputs.imageFeatureName)' that is an image")
    }
    let (region, option) = settings.withLock { ($0.regionOfInterest, $0.cropAndScale) }
    let options = MLPredictionOptions()
    options.usesCPUOnly = usesCPUOnly
    let seen: PixelBuffer
    do {
      seen = try picture.part(region).fitted(
        width: constraint.pixelsWide, height: constraint.pixelsHigh, pixelFormatType: constraint.pixelFormatType, option
      )
    } catch let error as ImageError { throw VNFailure(error) }
    do {
      let features = PictureFeatures(
        inputs.imageFeatureName, MLFeatureValue(pixelBuffer: seen), inputs.provider)
      let output = try model.model.prediction(from: features, options: options)
      return try Observations(description, model.model.detections).read(output)
    } catch let error as VNFailure {
      throw error
    } catch let error as MLModelError {
      if error.cause == .overTime { throw VNFailure(.timeout, error.message, underlying: error) }
      if error.code == .predictionCancelled { throw Self.cancelled(error) }
      throw VNFailure(.operationFailed, error.message, underlying: error)
    } catch {
      // Of a model or of a provider that the application brings.
      throw VNFailure(.operationFailed, "\(error)", underlying: error)
    }
  }
}
