import CoreML
import Foundation

/// An output of a model that is not an image.
///
/// Its archive format is specific to this library. Apple's systems do not read it.
public struct CoreMLFeatureValueObservation: VisionObservation {
  /// The name of the output.
  public let featureName: String
  /// The value, a copy of the model's output.
  public let featureValue: MLSendableFeatureValue
  /// The unique identifier of the observation.
  public let uuid: UUID
  /// 1.
  public let confidence: Float
  /// The request that found it.
  public let originatingRequestDescriptor: RequestDescriptor?

  /// Converts an observation of the older interface. Nil for values that are not `Sendable`, such as sequences of
  /// integers.
  public init?(_ observation: VNCoreMLFeatureValueObservation) {
    guard let value = MLSendableFeatureValue(observation.featureValue) else { return nil }
    self.init(observation, value, nil)
  }

  init(_ observation: VNCoreMLFeatureValueObservation, _ descriptor: RequestDescriptor) throws {
    guard let value = MLSendableFeatureValue(observation.featureValue) else {
      throw VisionError.operationFailed(
        "the output '\(observation.featureName)' cannot be passed between tasks; a VNCoreMLRequest gives it")
    }
    self.init(observation, value, descriptor)
  }

  private init(
    _ observation: VNCoreMLFeatureValueObservation, _ value: MLSendableFeatureValue, _ descriptor: RequestDescriptor?
  ) {
    (featureName, featureValue) = (observation.featureName, value)
    (uuid, confidence, originatingRequestDescriptor) = (observation.uuid, observation.confidence, descriptor)
  }

  /// The name and the value.
  public var description: String { "\(featureName) \(MLFeatureValue(featureValue))" }
}

extension CoreMLFeatureValueObservation {
  private enum CodingKeys: String, CodingKey {
    case featureName, featureValue, uuid, confidence, originatingRequestDescriptor
  }

  /// Encodes the observation, with the value as an archive of `MLFeatureValue`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(featureName, forKey: .featureName)
    let value = MLFeatureValue(featureValue)
    try container.encode(
      NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true), forKey: .featureValue)
    try container.encode(uuid, forKey: .uuid)
    try container.encode(confidence, forKey: .confidence)
    try container.encodeIfPresent(originatingRequestDescriptor, forKey: .originatingRequestDescriptor)
  }

  /// Decodes the format of `encode(to:)`.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    featureName = try container.decode(String.self, forKey: .featureName)
    let archive = try container.decode(Data.self, forKey: .featureValue)
    guard let value = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MLFeatureValue.self, from: archive),
      let sendable = MLSendableFeatureValue(value)
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .featureValue, in: container, debugDescription: "the value is no archive of a feature value")
    }
    featureValue = sendable
    uuid = try container.decode(UUID.self, forKey: .uuid)
    confidence = try container.decode(Float.self, forKey: .confidence)
    originatingRequestDescriptor = try container.decodeIfPresent(
      RequestDescriptor.self, forKey: .originatingRequestDescriptor)
  }
}
