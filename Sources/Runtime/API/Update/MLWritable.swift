import CoreMLImport
import Foundation

/// A model that can be saved as a compiled model.
public protocol MLWritable: AnyObject {
  /// Writes a `.mlmodelc` folder atomically: to a temporary name beside `url`, then renamed. Replaces a compiled model
  /// or an empty folder at `url`.
  ///
  /// - Throws: `MLModelError` with the code `io`, also if another file or folder exists at `url`.
  func write(to url: URL) throws
}

/// A trained model.
final class UpdatedModel: MLModel, MLWritable, @unchecked Sendable {
  /// Set once, at initialization.
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
