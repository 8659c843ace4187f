import Foundation

/// A finding of a request in an image.
///
/// There is no Core Media here: Apple's `timeRange` is left out.
public protocol VisionObservation: CustomStringConvertible, Codable, Hashable, Sendable {
  /// The identifier of the observation, unlike that of any other.
  var uuid: UUID { get }
  /// The confidence as the model gives it, not scaled to 0 to 1. It is 1 for outputs without one.
  var confidence: Float { get }
  /// The type and the revision of the request that found it. Nil for an observation made from one of the older interface.
  var originatingRequestDescriptor: RequestDescriptor? { get }
}

extension VisionObservation {
  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(uuid) }
}

/// A class that an image may be of, and how probable that is.
public struct ClassificationObservation: VisionObservation {
  /// The label of the class, integers as their digits.
  public let identifier: String
  /// The identifier of the observation, unlike that of any other.
  public let uuid: UUID
  /// The probability that the model gives the class.
  public let confidence: Float
  /// The request that found it.
  public let originatingRequestDescriptor: RequestDescriptor?

  /// The same observation of the older interface.
  public init(_ observation: VNClassificationObservation) { self.init(observation, nil) }

  init(_ observation: VNClassificationObservation, _ descriptor: RequestDescriptor?) {
    identifier = observation.identifier
    (uuid, confidence, originatingRequestDescriptor) = (observation.uuid, observation.confidence, descriptor)
  }

  /// The label and the confidence.
  public var description: String { "\(identifier) \(confidence)" }

  /// Whether it is known how precision and recall depend on the confidence. Core ML models do not tell.
  public var hasPrecisionRecallCurve: Bool { false }
  /// False: see ``hasPrecisionRecallCurve``.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool { false }
  /// False: see ``hasPrecisionRecallCurve``.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool { false }
}

/// An object in an image, and what it may be.
public struct RecognizedObjectObservation: VisionObservation, BoundingBoxProviding {
  /// All classes of the detector, the most probable one first.
  public let labels: [ClassificationObservation]
  /// Where the object is, in fractions of what the model was shown.
  ///
  /// With `scaleToFill` that is the region of interest. With other actions it is the region as it was cut, filled up or turned.
  public let boundingBox: NormalizedRect
  /// The identifier of the observation, unlike that of any other.
  public let uuid: UUID
  /// The confidence of the first label.
  public let confidence: Float
  /// The request that found it.
  public let originatingRequestDescriptor: RequestDescriptor?

  /// The same observation of the older interface.
  public init(_ observation: VNRecognizedObjectObservation) { self.init(observation, nil) }

  init(_ observation: VNRecognizedObjectObservation, _ descriptor: RequestDescriptor?) {
    labels = observation.labels.map { ClassificationObservation($0, descriptor) }
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    (uuid, confidence, originatingRequestDescriptor) = (observation.uuid, observation.confidence, descriptor)
  }

  /// The most probable label, the confidence and the box.
  public var description: String { "\(labels.first?.identifier ?? "no label") \(confidence) \(boundingBox)" }
}
