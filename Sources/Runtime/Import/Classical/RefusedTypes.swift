import CoreMLSpec

/// Model types that no runtime but Apple's can run, and what stands in the way.
enum RefusedTypes {
  /// The refusal of a model type; nil for one that can be run.
  static func reason(_ type: Specification.Model.OneOfType) throws -> String? {
    switch type {
    case .textClassifier, .wordTagger, .gazetteer, .wordEmbedding:
      "its parameters are private data of Apple's Natural Language framework; train the model again in an open form, such as an ML program"
    case .visionFeaturePrint, .audioFeaturePrint:
      "its weights are part of Apple's operating systems and not of the file; put a feature extractor of your own in its place and train what follows again"
    case .serializedModel:
      "its bytes are in a private form of Apple's; export the model again from its source"
    case .customModel(let custom):
      "it is \(try named(custom.className)) of an application, and no implementation of it is registered; convert what the class computes to an ML program"
    default: nil
    }
  }

  private static func named(_ name: String) -> String { name.isEmpty ? "a class" : "the class '\(name)'" }
}
