import FeatureFiles
import Foundation
import Testing

@testable import CoreMLRuntime

/// The way to request a prediction does not change its results: alone, in a batch or concurrently, they are equal bit
/// for bit. With another number of threads, or with fusion on or off, they agree within rounding.
@Suite struct InvariantTests {
  /// fp32 rounding error relative to the greatest magnitude in a feature.
  static let tolerance = 2e-5

  static func load(_ compiled: URL, threads: Int = 1, fusing: Bool = true) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.threads = threads
    configuration.allowsFusion = fusing
    return try MLModel(contentsOf: compiled, configuration: configuration)
  }

  static func predict(_ model: MLModel, _ row: MLDictionaryFeatureProvider) throws -> Fingerprint {
    try Fingerprint(model.prediction(from: row))
  }

  static func check(_ compiled: URL, _ rows: [MLDictionaryFeatureProvider]) async throws {
    for (threads, fusing) in [(1, true), (2, true), (1, false), (2, false)] {
      let model = try load(compiled, threads: threads, fusing: fusing)
      let single = try rows.map { try predict(model, $0) }
      #expect(single.allSatisfy { $0.count > 0 })
      let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
      let together = try (0..<batch.count).map { try Fingerprint(batch.features(at: $0)) }
      #expect(together == single, "a batch, \(threads) threads, fusing: \(fusing)")
      let concurrent = try await withThrowingTaskGroup(of: (Int, Fingerprint).self) { group in
        for index in 0..<rows.count * 3 {
          let row = rows[index % rows.count]
          group.addTask {
            try (index % rows.count, Fingerprint(await model.prediction(from: row, options: MLPredictionOptions())))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(concurrent.count == rows.count * 3)
      for (index, found) in concurrent { #expect(found == single[index], "concurrently, \(threads) threads") }
      guard (threads, fusing) != (1, true) else { continue }
      let plain = try load(compiled)
      for (row, found) in zip(rows, single) {
        let expected = try predict(plain, row)
        #expect(
          found.difference(from: expected, tolerance: tolerance) == nil, "\(threads) threads, fusing: \(fusing)")
      }
    }
  }

  static func check(_ specification: [UInt8], _ rows: [MLDictionaryFeatureProvider]) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "invariants-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "model.mlmodel")
    try Data(specification).write(to: source)
    try await check(MLModel.compileModel(at: source, into: folder), rows)
  }

  @Test func aRecurrentNetwork() async throws {
    let rows = try (0..<5).map { try InvariantModels.array(InvariantModels.numbers(70, $0), [7, 2, 5, 1, 1]) }
    try await Self.check(InvariantModels.recurrent(), rows)
  }

  /// Rows of alternating shapes, each with its own plan.
  @Test func aNetworkOfImagesOfAnySize() async throws {
    let sizes = [(8, 8), (5, 13), (8, 8), (40, 33), (4, 4), (5, 13)]
    let rows = try sizes.enumerated().map { index, size in
      try InvariantModels.array(
        InvariantModels.numbers(3 * size.0 * size.1, index), [1, 3, size.0, size.1])
    }
    try await Self.check(InvariantModels.flexible(), rows)
  }

  @Test func aPipelineOfClassicalModels() async throws {
    let rows = try (0..<6).map { index in
      try MLDictionaryFeatureProvider(
        dictionary: ["size": Double(index) - 2.5, "color": ["red", "green", "blue"][index % 3]])
    }
    try await Self.check(InvariantModels.classical(), rows)
  }

  @Test func theDemoModel() async throws {
    let compiled = try await MLModel.compileModel(at: ModelDescriptionTests.digits.appending(path: "Digits.mlpackage"))
    defer { try? FileManager.default.removeItem(at: compiled) }
    let description = try Self.load(compiled).modelDescription
    let constraint = try #require(description.inputDescriptionsByName["image"]?.imageConstraint)
    let rows = try ["five", "nine", "seven", "three"].map { name in
      try MLDictionaryFeatureProvider(dictionary: [
        "image": MLFeatureValue(
          imageAt: ModelDescriptionTests.digits.appending(path: "\(name).png"), constraint: constraint)
      ])
    }
    try await Self.check(compiled, rows)
  }

  @Test(.enabled(if: AppleModelsTests.hasArchive, "needs ../shared/models/models-dev.tar.xz"))
  func modelsOfOthers() async throws {
    let folder = try AppleModelsTests.unpack()
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in AppleModelsTests.names {
      let place = folder.appending(path: "models-dev/real/\(name)")
      let compiled = place.appending(path: "model.mlmodelc")
      let description = try Self.load(compiled).modelDescription
      var rows: [MLDictionaryFeatureProvider] = []
      for step in 0..<3 {
        let inputs = place.appending(path: "inputs_\(step).npz").path
        guard FileManager.default.fileExists(atPath: inputs) else { break }
        var features: [String: Any] = [:]
        for (name, array) in try NPZ.read(inputs) {
          features[name] = try FeatureConversion.feature(
            array, #require(description.inputDescriptionsByName[name]))
        }
        rows.append(try MLDictionaryFeatureProvider(dictionary: features))
      }
      try #require(!rows.isEmpty, "\(name)")
      try await Self.check(compiled, rows)
    }
  }
}
