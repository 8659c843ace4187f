import CoreMLBase
import CoreMLImport
import CoreMLRuntime
import CoreMLSpec
import Foundation

/// Puts new weights into a model, without fetching the rest of it again.
///
/// The new file must hold every weight that the program names, where the program says and of the type and shape that it declares. What the
/// model's own file of weights holds does not matter: it may have been shipped cut short, or not at all.
public enum WeightsUpdate {
  /// Makes a model of another's files and new weights. The other is left as it is.
  ///
  /// - Parameters:
  ///   - weights: `weight.bin` of a program, or `model.espresso.weights` of a neural network compiled by Apple's tools.
  ///   - base: the model whose program and description are used: a `.mlpackage` or `.mlmodelc`.
  ///   - folder: where the model is made: a private folder. It gets the base's name.
  /// - Returns: the new model.
  /// - Throws: ``DeliveryError`` `wrongWeights` that says which weight does not fit, `unwritable`.
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

  /// The model as a whole must be one that loads.
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
