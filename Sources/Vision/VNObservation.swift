import CoreVideo
import Foundation

/// A confidence from 0 to 1.
public typealias VNConfidence = Float

/// A result of a request for an image.
// Sendable: immutable
open class VNObservation: NSObject, NSCopying, @unchecked Sendable {
  /// The unique identifier of the observation.
  public let uuid = UUID()
  /// The confidence from 0 to 1; 1 for observations without one.
  public let confidence: VNConfidence

  init(confidence: VNConfidence) { self.confidence = confidence }

  /// Returns the same object, as it is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A class of an image, with its probability.
open class VNClassificationObservation: VNObservation, @unchecked Sendable {
  /// The label of the class, with integers as decimal strings.
  public let identifier: String

  init(identifier: String, confidence: VNConfidence) {
    self.identifier = identifier
    super.init(confidence: confidence)
  }

  /// The label and the confidence.
  override open var description: String { "\(identifier) \(confidence)" }

  /// Whether the relation of precision and recall to the confidence is known. Core ML classifiers do not provide it.
  open var hasPrecisionRecallCurve: Bool { false }

  /// Whether the class reaches a recall at a given precision. False if the relation is unknown.
  open func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool { false }

  /// Whether the class reaches a precision at a given recall. False if the relation is unknown.
  open func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool { false }
}

/// An output of a model that is not an image.
open class VNCoreMLFeatureValueObservation: VNObservation, @unchecked Sendable {
  /// The name of the output.
  public let featureName: String
  /// Its value.
  public let featureValue: MLFeatureValue

  init(featureName: String, featureValue: MLFeatureValue) {
    self.featureName = featureName
    self.featureValue = featureValue
    super.init(confidence: 1)
  }

  /// The name and the value.
  override open var description: String { "\(featureName) \(featureValue)" }
}

/// An output of a model that is an image.
open class VNPixelBufferObservation: VNObservation, @unchecked Sendable {
  /// The name of the output.
  public let featureName: String?
  /// The image.
  public let pixelBuffer: CVPixelBuffer

  init(featureName: String, pixelBuffer: CVPixelBuffer) {
    self.featureName = featureName
    self.pixelBuffer = pixelBuffer
    super.init(confidence: 1)
  }
}

/// An object at a position in an image.
open class VNDetectedObjectObservation: VNObservation, @unchecked Sendable {
  /// The object's position, in fractions of the image that the model saw, from the lower left corner. That image is the
  /// region of interest after `imageCropAndScaleOption` cropped, padded or rotated it.
  public let boundingBox: CGRect

  /// Creates an observation of an unclassified object.
  public convenience init(boundingBox: CGRect) { self.init(boundingBox: boundingBox, confidence: 1) }

  init(boundingBox: CGRect, confidence: VNConfidence) {
    self.boundingBox = boundingBox
    super.init(confidence: confidence)
  }
}

/// An object at a position in an image, with its probable classes.
open class VNRecognizedObjectObservation: VNDetectedObjectObservation, @unchecked Sendable {
  /// All classes of the detector, the most probable one first. The confidence of the first one is the observation's.
  public let labels: [VNClassificationObservation]

  init(boundingBox: CGRect, labels: [VNClassificationObservation]) {
    self.labels = labels
    super.init(boundingBox: boundingBox, confidence: labels.first?.confidence ?? 0)
  }
}
