import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// Checks whether a weight file fits a model's program: it contains every weight that the program references, with the
/// right type and size.
package enum WeightsCheck {
  /// - Parameters:
  ///   - model: a `.mlpackage` or `.mlmodelc` with its weights in a separate file. The current file is not read; it may
  ///     be truncated or missing.
  ///   - weights: the replacement file.
  /// - Returns: the path of the file to replace.
  /// - Throws: `SpecError`, `RuntimeError` or `MILError` that names the weight that does not fit.
  package static func path(in model: URL, replacedBy weights: URL) throws -> String {
    switch try ModelLocation.open(model.path) {
    case .file:
      throw RuntimeError(.unsupported, "the weights are within the model's file; compile it first", file: model.path)
    case .package(let package):
      guard let folder = package.file.folder else { throw noFile(model) }
      return try check(model, folder: folder, weights) { _ = try ModelCompiler.source(model, weights: $0) }
    case .compiled(let compiled):
      switch compiled.kind {
      case .own:
        return try check(model, folder: model.path, weights) {
          _ = try CompiledBundle.read(model.path, weights: $0).verified(model.path)
        }
      case .appleProgram:
        return try check(model, folder: model.path, weights) {
          _ = try AppleProgram(folder: model.path).model(weights: $0).verified(model.path)
        }
      case .appleNeuralNetwork:
        // The layers are checked against the weights when the model is read with the new file in place.
        _ = try EspressoWeights.open(weights.path)
        return "\(model.path)/model.espresso.weights"
      default:
        throw RuntimeError(.unsupported, "the model has no weights in a file of their own", file: model.path)
      }
    }
  }

  private static func check(
    _ model: URL, folder: String, _ weights: URL, _ read: (WeightFiles) throws -> Void
  ) throws -> String {
    let blob = try BlobFile.open(weights.path)
    let files = WeightFiles(isStrict: true) { _ in blob }
    try read(files)
    guard let name = files.names.first else { throw noFile(model) }
    guard files.names.count == 1 else {
      throw RuntimeError(
        .unsupported, "the program has its weights in \(files.names.count) files, and one was given", file: model.path)
    }
    return try ModelFile.path(ofBlobFile: name, in: folder)
  }

  private static func noFile(_ model: URL) -> RuntimeError {
    RuntimeError(.unsupported, "the program has no weights in a file of their own", file: model.path)
  }
}
