import Foundation

/// A result of a request for an image.
///
/// This platform has no Core Media, so Apple's `timeRange` is missing.
public protocol VisionObservation: CustomStringConvertible, Codable, Hashable, Sendable {
  /// The unique identifier of the observation.
  var uuid: UUID { get }
  /// The confidence that the model returns, not scaled to 0 to 1. It is 1 for outputs without a confidence.
  var confidence: Float { get }
  /// The type and the revision of the originating request. Nil for an observation converted from the older interface.
  var originatingRequestDescriptor: RequestDescriptor? { get }
}

extension VisionObservation {
  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(uuid) }
}

/// A class of an image, with its probability.
public struct ClassificationObservation: VisionObservation {
  /// The label of the class, with integers as decimal strings.
  public let identifier: String
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The probability that the model assigns to the class.
  public let confidence: Float
  /// The request that found it.
  public let originatingRequestDescriptor: RequestDescriptor?

  /// Converts an observation of the older interface.
  public init(_ observation: VNClassificationObservation) { self.init(observation, nil) }

  init(_ observation: VNClassificationObservation, _ descriptor: RequestDescriptor?) {
    identifier = observation.identifier
    (uuid, confidence, originatingRequestDescriptor) = (observation.uuid, observation.confidence, descriptor)
  }

  /// The label and the confidence.
  public var description: String { "\(identifier) \(confidence)" }

  /// Whether the relation of precision and recall to the confidence is known. Core ML models do not provide it.
  public var hasPrecisionRecallCurve: Bool { false }
  /// False: see ``hasPrecisionRecallCurve``.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool { false }
  /// False: see ``hasPrecisionRecallCurve``.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool { false }
}

/// An object in an image, with its probable classes.
public struct RecognizedObjectObservation: VisionObservation, BoundingBoxProviding {
  /// All classes of the detector, the most probable one first.
  public let labels: [ClassificationObservation]
  /// The object's position, in fractions of the image that the model saw.
  ///
  /// With `scaleToFill` that image is the region of interest. With other actions it is the region after cropping,
  /// padding or rotation.
  public let boundingBox: NormalizedRect
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// The confidence of the first label.
  public let confidence: Float
  /// The request that found it.
  public let originatingRequestDescriptor: RequestDescriptor?

  /// Converts an observation of the older interface.
  public init(_ observation: VNRecognizedObjectObservation) { self.init(observation, nil) }

  init(_ observation: VNRecognizedObjectObservation, _ descriptor: RequestDescriptor?) {
    labels = observation.labels.map { ClassificationObservation($0, descriptor) }
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    (uuid, confidence, originatingRequestDescriptor) = (observation.uuid, observation.confidence, descriptor)
  }

  /// The most probable label, the confidence and the box.
  public var description: String { "\(labels.first?.identifier ?? "no label") \(confidence) \(boundingBox)" }
}
