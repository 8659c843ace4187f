import CoreVideo
import Foundation

/// How sure something is, from 0 to 1.
public typealias VNConfidence = Float

/// What a request found in a picture.
// Sendable: never changed once it is made
open class VNObservation: NSObject, NSCopying, @unchecked Sendable {
  /// What tells one observation from all others.
  public let uuid = UUID()
  /// How sure it is, from 0 to 1; 1 for observations that are not more or less sure.
  public let confidence: VNConfidence

  init(confidence: VNConfidence) { self.confidence = confidence }

  /// Itself: it never changes.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A class that a picture may be of, and how probable that is.
open class VNClassificationObservation: VNObservation, @unchecked Sendable {
  /// The label of the class; integers as their digits.
  public let identifier: String

  init(identifier: String, confidence: VNConfidence) {
    self.identifier = identifier
    super.init(confidence: confidence)
  }

  /// The label and the confidence.
  override open var description: String { "\(identifier) \(confidence)" }

  /// Whether it is known how precision and recall depend on the confidence. Of Core ML's classifiers it is not.
  open var hasPrecisionRecallCurve: Bool { false }

  /// Whether the class is sure enough for a recall, where precision is as given: false where that is not known.
  open func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool { false }

  /// Whether the class is sure enough for a precision, where recall is as given: false where that is not known.
  open func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool { false }
}

/// An output of a model that is no picture.
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

/// An output of a model that is a picture.
open class VNPixelBufferObservation: VNObservation, @unchecked Sendable {
  /// The name of the output.
  public let featureName: String?
  /// The picture.
  public let pixelBuffer: CVPixelBuffer

  init(featureName: String, pixelBuffer: CVPixelBuffer) {
    self.featureName = featureName
    self.pixelBuffer = pixelBuffer
    super.init(confidence: 1)
  }
}

/// Something that is somewhere in a picture.
open class VNDetectedObjectObservation: VNObservation, @unchecked Sendable {
  /// Where it is, in fractions of the picture that the model was shown, from the lower left corner: of the region of interest, as
  /// `imageCropAndScaleOption` cut, filled up or turned it.
  public let boundingBox: CGRect

  /// Something in a rectangle, of which nothing more is said.
  public convenience init(boundingBox: CGRect) { self.init(boundingBox: boundingBox, confidence: 1) }

  init(boundingBox: CGRect, confidence: VNConfidence) {
    self.boundingBox = boundingBox
    super.init(confidence: confidence)
  }
}

/// Something that is somewhere in a picture, and what it may be.
open class VNRecognizedObjectObservation: VNDetectedObjectObservation, @unchecked Sendable {
  /// All classes of the detector, the most probable one first. Its confidence is the observation's.
  public let labels: [VNClassificationObservation]

  init(boundingBox: CGRect, labels: [VNClassificationObservation]) {
    self.labels = labels
    super.init(boundingBox: boundingBox, confidence: labels.first?.confidence ?? 0)
  }
}
