import CoreMLRuntime
import Foundation

/// The features in one file, as a model's inputs.
public enum FeatureFile {
  /// The features of an `.npz` file (one array each) or of a `.json` file (an object, feature -> value).
  ///
  /// - Parameter images: Where the images are that a `.json` file names.
  /// - Throws: `FeatureFileError` if the file has another format, or has features that the model lacks.
  public static func features(
    _ path: String, for model: MLModelDescription, images: ImageSource
  ) throws -> [String: MLFeatureValue] {
    func declared(_ name: String) throws -> MLFeatureDescription {
      guard let feature = model.inputDescriptionsByName[name] else {
        throw FeatureFileError(.invalid, "\(path): the model has no input '\(name)'")
      }
      return feature
    }
    switch URL(filePath: path).pathExtension.lowercased() {
    case "npz":
      return try NPZ.read(path) { name, elements in try FeatureConversion.feature(elements, declared(name)) }
    case "json":
      guard case .object(let members) = try JSONValue(file: path) else {
        throw FeatureFileError(.invalid, "\(path): expected an object, feature -> value")
      }
      return try Dictionary(
        uniqueKeysWithValues: members.sorted { $0.key < $1.key }.map {
          ($0.key, try FeatureJSON.feature($0.value, declared($0.key), images: images))
        })
    default: throw FeatureFileError(.unsupported, "\(path): expected .npz or .json by its name")
    }
  }
}
