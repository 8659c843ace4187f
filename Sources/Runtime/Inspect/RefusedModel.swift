import CoreMLBase
import CoreMLImport
import CoreMLSpec

/// A model compiled by Apple's tools that this runtime does not support: the description in its files, and the reason.
package struct RefusedModel: Sendable {
  /// The serialized `ModelDescription`.
  package let description: Bytes
  package let specificationVersion: Int
  /// The model type, for example `mlProgram`; nil if the files do not contain it.
  package let modelType: String?
  package let reason: String

  /// Returns nil if the error is not about the model itself, for example an exceeded limit, or if the files do not
  /// describe the features.
  package init?(_ model: CompiledModel, refusedWith error: MLModelError) {
    switch error.cause {
    case .memory, .device, .cancelled, .overTime, .inputs: return nil
    case .unsupported, .model, .files, .other: break
    }
    if case .own = model.kind { return nil }
    guard let interface = try? AppleInterface(folder: model.path) else { return nil }
    (description, specificationVersion) = (interface.description, interface.specificationVersion)
    (modelType, reason) = (interface.modelType, error.message)
  }
}
