import FeatureFiles
import Foundation
import TestSupport
import Testing

@testable import CoreMLRuntime

/// Real models compiled by Apple's tools, from an archive next to the checkout.
@Suite(.tags(.process)) struct AppleModelsTests {
  static let archive = Checkout.shared.appending(path: "models/models-dev.tar.xz")
  static let hasArchive = FileManager.default.fileExists(atPath: archive.path)

  static let names = [
    "mlmodelc_silero_vad", "mlmodelc_s4tf_retrained", "mlmodelc_tokendurationprediction",
    "mlmodelc_transposeencoder",
  ]

  /// Unpacks the compiled models into a new folder. The caller removes it.
  static func unpack() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "coreml-models-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tar = Process()
    tar.executableURL = URL(filePath: "/usr/bin/env")
    tar.arguments = ["tar", "-xJf", archive.path, "-C", folder.path, "--wildcards", "*/real/mlmodelc_*"]
    try tar.run()
    tar.waitUntilExit()
    try #require(tar.terminationStatus == 0)
    return folder
  }

  @Test(.enabled(if: hasArchive, "needs ../shared/models/models-dev.tar.xz"))
  func predictionsAgree() throws {
    let folder = try Self.unpack()
    defer { try? FileManager.default.removeItem(at: folder) }
    let real = folder.appending(path: "models-dev/real")
    var steps = 0
    for name in Self.names {
      let place = real.appending(path: name)
      let configuration = MLModelConfiguration()
      configuration.computeUnits = .cpuOnly
      let model = try MLModel(contentsOf: place.appending(path: "model.mlmodelc"), configuration: configuration)
      for step in 0... {
        let inputs = place.appending(path: "inputs_\(step).npz").path
        guard FileManager.default.fileExists(atPath: inputs) else { break }
        try compare(model, inputs, place.appending(path: "expected_\(step).npz").path)
        steps += 1
      }
    }
    #expect(steps == 15)
  }

  private func compare(_ model: MLModel, _ inputs: String, _ expected: String) throws {
    var features: [String: Any] = [:]
    for (name, array) in try NPZ.read(inputs) {
      let description = try #require(model.modelDescription.inputDescriptionsByName[name])
      features[name] = try FeatureConversion.feature(array, description)
    }
    let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: features))
    for (name, array) in try NPZ.read(expected) {
      let found = try #require(result.featureValue(for: name)?.multiArrayValue)
      let numbers = FeatureConversion.array(found).doubles
      try #require(numbers.count == array.doubles.count)
      for (a, b) in zip(numbers, array.doubles) { #expect(abs(a - b) < 1e-3, "\(expected): '\(name)' \(a), not \(b)") }
    }
  }
}
