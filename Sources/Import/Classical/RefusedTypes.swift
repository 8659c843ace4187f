import CoreMLBase
import CoreMLSpec

/// Model types that no runtime but Apple's can run, and what stands in the way.
package enum RefusedTypes {
  /// By the schema's name of the type.
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

  /// What stands in the way of a type; nil for one that can be run.
  package static func reason(_ name: String) -> String? { reasons[name] }

  /// Throws where models of the type cannot be run.
  static func refuse(_ name: String, file: String? = nil) throws {
    guard let reason = reasons[name] else { return }
    throw RuntimeError(.closedModelType, "models of type \(name) cannot be run here: \(reason)", file: file)
  }

  /// The same for a type that is known by its field number in `Model`, by which compiled models have it.
  static func refuse(number: Int, file: String?) throws {
    let member = Specification.Model.OneOfType.members.first { $0.number == number }
    if let member { try refuse(member.name, file: file) }
  }
}
