import CoreMLImport
import Foundation

/// What can be saved as a compiled model.
public protocol MLWritable {
  /// Writes a `.mlmodelc` folder, whole or not at all: to a private name beside `url`, then renamed; what stands there is replaced.
  ///
  /// - Throws: `MLModelError` with the code `io`.
  func write(to url: URL) throws
}

/// A model as a training left it.
final class UpdatedModel: MLModel, MLWritable, @unchecked Sendable {
  private let model: ImportedModel

  override init(_ model: ImportedModel, configuration: MLModelConfiguration) throws {
    self.model = model
    try super.init(model, configuration: configuration)
  }

  func write(to url: URL) throws {
    try MLModelError.wrapping(.io) { try CompiledBundle.write(model, to: url.path) }
  }
}
