import CoreML
import CoreMLImages
import Foundation

/// The only revision of requests for models.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VNCoreMLRequestRevision1 = 1

/// Runs a model on an image.
///
/// The request rotates the image upright and crops it to the region of interest. It scales the region to the model's
/// size according to `imageCropAndScaleOption`, and converts it to the model's pixel format. The kind of the model
/// decides the results, in this order of preference:
///
/// - A classifier with probabilities: a `VNClassificationObservation` for each class, the most probable one first.
/// - A detector (a pipeline that ends in a non-maximum suppression with class names): a `VNRecognizedObjectObservation`
///   for each box.
/// - Any other model: for each output, in the model's order, a `VNPixelBufferObservation` if it is an image, else a
///   `VNCoreMLFeatureValueObservation`.
open class VNCoreMLRequest: VNImageBasedRequest, @unchecked Sendable {
  /// The model.
  public let model: VNCoreMLModel

  /// Creates a request with a handler that is called at its end.
  public init(model: VNCoreMLModel, completionHandler: VNRequestCompletionHandler? = nil) {
    self.model = model
    super.init(completionHandler: completionHandler)
  }

  /// How an image is fitted to the model's size. The default is `centerCrop`.
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
      // An error of a custom model or of the application's provider.
      throw VNFailure(.operationFailed, "\(error)", underlying: error)
    }
  }
}
