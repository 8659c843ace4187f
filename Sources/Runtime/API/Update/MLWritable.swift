import CoreMLImport
import Foundation

/// What can be saved as a compiled model.
public protocol MLWritable: AnyObject {
  /// Writes a `.mlmodelc` folder, whole or not at all: to a private name beside `url`, then renamed. A compiled model or an empty
  /// folder that stands there is replaced.
  ///
  /// - Throws: `MLModelError` with the code `io`, also where another file or folder stands there.
  func write(to url: URL) throws
}

/// A model as a training left it.
final class UpdatedModel: MLModel, MLWritable, @unchecked Sendable {
  /// Set once, when the model is made.
  private var model: ImportedModel?

  convenience init(trained model: ImportedModel, configuration: MLModelConfiguration) throws {
    try self.init(model, configuration: configuration)
    self.model = model
  }

  func write(to url: URL) throws {
    guard let model else { throw MLModelError(.io, "there is no trained model to be written") }
    try MLModelError.wrapping(.io) { try CompiledBundle.write(model, to: url.path) }
  }
}
