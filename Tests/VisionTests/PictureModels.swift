import CoreML
import CoreMLImages

/// Models of this checkout with image inputs.
enum PictureModels {
  static func load(_ path: String, _ configuration: MLModelConfiguration = MLModelConfiguration()) throws -> MLModel {
    let compiled = try MLModel.compileModel(at: PictureCases.folder.appending(path: path))
    defer { try? FileManager.default.removeItem(at: compiled) }
    return try MLModel(contentsOf: compiled, configuration: configuration)
  }

  /// The negative of an image of 6 x 4 pixels.
  static func negative() throws -> MLModel { try load("Tests/Cases/models/enumeratedPicture.mlmodel") }
  static func digits() throws -> MLModel { try load("examples/digits/Digits.mlpackage") }
  static func detector() throws -> MLModel { try load("Tests/Cases/models/detector.mlmodel") }
}
