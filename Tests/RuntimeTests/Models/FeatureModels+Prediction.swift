import Foundation
import TestModels

@testable import CoreMLRuntime

extension FeatureModels {
  /// Compiles the model to a folder, loads it and predicts.
  static func predict(_ model: [UInt8], _ input: [String: Any], beside files: [String: [UInt8]] = [:]) throws
    -> any MLFeatureProvider
  {
    try load(model, beside: files).prediction(from: MLDictionaryFeatureProvider(dictionary: input))
  }

  /// Compiles the model to a folder and loads it. `look` sees the folder.
  static func load(
    _ model: [UInt8], beside files: [String: [UInt8]] = [:], look: (URL) throws -> Void = { _ in }
  ) throws -> MLModel {
    let folder = FileManager.default.temporaryDirectory.appending(path: "features-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
    let source = folder.appending(path: "model.mlmodel")
    try Data(model).write(to: source)
    let compiled = try MLModel.compileModel(at: source)
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    try look(compiled)
    return try MLModel(contentsOf: compiled)
  }
}

extension MLFeatureProvider {
  func numbers(_ name: String) -> [Double]? {
    guard let array = featureValue(for: name)?.multiArrayValue else { return nil }
    return (0..<array.count).map { array[$0].doubleValue }
  }
}
