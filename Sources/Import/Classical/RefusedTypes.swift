import CoreMLBase
import CoreMLSpec

/// Model types that only Apple's runtime can run, with the reason.
package enum RefusedTypes {
  /// The reasons by the schema's name of the type.
  private static let reasons: [String: String] = [
    "textClassifier": language, "wordTagger": language, "gazetteer": language, "wordEmbedding": language,
    "visionFeaturePrint":
      "its weights are part of Apple's operating systems and not of the file; put an image feature extractor of your own in its place, and train what follows again",
    "audioFeaturePrint":
      "its weights are part of Apple's operating systems and not of the file; put a sound feature extractor of your own in its place, and train what follows again",
    "serializedModel":
      "its bytes are in a private form of Apple's; export the model again from its source, such as to an ML program",
  ]

  private static let language =
    "its parameters are private data of Apple's Natural Language framework; train the model again in an open form, such as an ML program"

  /// The reason why a type is not supported; nil for a supported type.
  package static func reason(_ name: String) -> String? { reasons[name] }

  /// Throws if the type is not supported.
  static func refuse(_ name: String, file: String? = nil) throws {
    guard let reason = reasons[name] else { return }
    throw RuntimeError(.closedModelType, "models of type \(name) cannot be run here: \(reason)", file: file)
  }

  /// Throws if the type with a field number in `Model` is not supported. Compiled models store the field number.
  static func refuse(number: Int, file: String?) throws {
    let member = Specification.Model.OneOfType.members.first { $0.number == number }
    if let member { try refuse(member.name, file: file) }
  }
}
