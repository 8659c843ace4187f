import CoreMLBase
import CoreMLImport
import CoreMLSpec

/// A model compiled by Apple's tools that cannot run here: what its files say of its features, and why it is refused.
package struct RefusedModel: Sendable {
  /// The serialised `ModelDescription`.
  package let description: Bytes
  package let specificationVersion: Int
  /// Such as `mlProgram`; nil where the files do not say it.
  package let modelType: String?
  package let reason: String

  /// Nil where the refusal says nothing of the model, such as one of a limit, and where the files say nothing of the features.
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
