import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// Whether a file of weights fits a model's program: every weight that the program names is there, with its type and size.
package enum WeightsCheck {
  /// - Parameters:
  ///   - model: a `.mlpackage` or `.mlmodelc` whose weights are in a file of their own; what stands in that file does not count, it may be
  ///     cut short or missing.
  ///   - weights: the file that is to take its place.
  /// - Returns: the path of the file that it takes the place of.
  /// - Throws: `SpecError`, `RuntimeError` or `MILError` that says which weight does not fit.
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
        // Its layers are checked against the numbers when the model is read with them in place.
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
