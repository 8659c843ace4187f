import CoreMLBase
import CoreMLImport
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Replaces the weights of a model without fetching the rest of it again.
///
/// The new file must contain every weight that the program refers to, at the stated offset and with the declared type
/// and shape. The model's own weights file may be truncated or missing.
public enum WeightsUpdate {
  /// Creates a model from the files of a base model and new weights. The base is not modified.
  ///
  /// - Parameters:
  ///   - weights: the `weight.bin` of a program, or the `model.espresso.weights` of a neural network compiled by
  ///     Apple's tools.
  ///   - base: a `.mlpackage` or `.mlmodelc` that provides the program and description.
  ///   - folder: a private folder for the new model, which gets the base's file name.
  /// - Returns: the new model.
  /// - Throws: ``DeliveryError`` `wrongWeights`, which names the weight that does not fit; `unwritable`.
  public static func apply(weights: URL, to base: URL, in folder: URL) throws -> URL {
    let target = folder.appending(path: base.lastPathComponent, directoryHint: .isDirectory)
    let replaced: String
    do { replaced = try WeightsCheck.path(in: base, replacedBy: weights) } catch {
      throw DeliveryError(.wrongWeights, "the weights do not fit the model: \(error)", file: weights.path)
    }
    let prefix = base.path.hasSuffix("/") ? base.path : base.path + "/"
    guard replaced.hasPrefix(prefix), let place = RelativePath(String(replaced.dropFirst(prefix.count))) else {
      throw DeliveryError(.wrongWeights, "the model's weights are not within it", file: base.path)
    }
    let contents = try ModelContents(of: base)
    for entry in contents.entries where entry.path != place.below("").dropFirst() {
      try FileCopy.copy(base.appending(path: entry.path), to: target.appending(path: entry.path))
    }
    try FileCopy.copy(weights, to: URL(filePath: place.below(target.path)))
    do { try WeightsDigest.renew(in: target.path) } catch {
      throw DeliveryError(.unwritable, "the digest of the new weights cannot be written: \(error)", file: target.path)
    }
    try check(target, weights)
    return target
  }

  /// Checks that the new model can be loaded.
  private static func check(_ model: URL, _ weights: URL) throws {
    do {
      guard case .compiled = try ModelLocation.open(model.path) else {
        _ = try WeightsCheck.path(in: model, replacedBy: weights)
        return
      }
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      _ = try MLModel(contentsOf: model, configuration: configuration)
    } catch {
      throw DeliveryError(.wrongWeights, "the weights do not fit the model: \(error)", file: weights.path)
    }
  }
}
