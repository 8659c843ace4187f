import CoreMLBase
import CoreMLSpec
import Foundation

/// The description of a model compiled by Apple's tools, whether the runtime supports the model or not.
package struct AppleInterface: Sendable {
  /// The serialized `ModelDescription`.
  package let description: Bytes
  package let specificationVersion: Int
  /// The name of the model type's field in the specification, for example `mlProgram`; nil if the file does not contain
  /// it.
  package let modelType: String?

  /// Reads the description from `coremldata.bin`. If that file is missing or has an unknown format, the description is
  /// created from the schemas in `metadata.json`.
  package init(folder: String) throws {
    do {
      (description, specificationVersion, modelType) = try Self.compiled("\(folder)/coremldata.bin")
    } catch let error as SpecError where [.malformedCompiledModel, .unreadable].contains(error.code) {
      guard FileManager.default.fileExists(atPath: "\(folder)/metadata.json") else { throw error }
      let schema = try MetadataSchema.open("\(folder)/metadata.json")
      (description, specificationVersion, modelType) = (try schema.description(), schema.specificationVersion, nil)
    }
  }

  private static func compiled(_ path: String) throws -> (Bytes, Int, String?) {
    let header = try CompiledDescription.open(path)
    let type = Specification.Model.OneOfType.members.first { $0.number == header.typeNumber }?.name
    switch header.contents {
    case .description(let message, _): return (message, header.specificationVersion, type)
    case .model(let bytes):
      guard let message = try ModelFile(bytes).model.description?.message.bytes else {
        throw SpecError(.malformedCompiledModel, "the model has no description", file: path)
      }
      return (message, header.specificationVersion, type)
    }
  }
}
