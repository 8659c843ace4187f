import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLRuntime

/// Models that need features only Apple's systems have. Each error has a stable code, names the feature and says what
/// to do instead.
@Suite struct RefusedModelTests {
  typealias F = FeatureModels

  static let closed: [(Int, String, String)] = [
    (2000, "textClassifier", "Natural Language"), (2001, "wordTagger", "Natural Language"),
    (2002, "visionFeaturePrint", "image feature extractor of your own"),
    (2004, "gazetteer", "Natural Language"),
    (2005, "wordEmbedding", "Natural Language"), (2006, "audioFeaturePrint", "sound feature extractor of your own"),
    (3000, "serializedModel", "export the model again"),
  ]

  @Test(arguments: closed) func closedTypes(_ number: Int, _ name: String, _ advice: String) {
    let model = F.model(number, [.double("x")], [.double("y")])
    for (model, place) in [
      (model, ""), (F.pipeline([.double("x")], [.double("y")], [model]), "model 0 of the pipeline"),
    ] {
      let error = #expect(throws: MLModelError.self) { try F.load(model) }
      #expect(error?.code == .generic && error?.underlyingCode == "runtime.closed-model-type")
      #expect(error?.message.contains("models of type \(name) cannot be run here: ") == true)
      #expect(error?.message.contains(advice) == true && (place.isEmpty || error?.message.contains(place) == true))
      #expect(error?.message.contains("model.mlmodel") == true)
    }
  }

  /// As a stage of a pipeline that Apple's tools compiled.
  @Test(arguments: closed) func closedTypesInCompiledModels(_ number: Int, _ name: String, _ advice: String) throws {
    try AppleFolder.make { folder in
      let features: (inout WireWriter) -> Void = { AppleFolder.array(1, "x", [2], to: &$0) }
      try folder.put(
        AppleFolder.description(
          202, features, trailer: AppleFolder.number(UInt64(1)) + AppleFolder.number(UInt64(202))),
        "coremldata.bin")
      try folder.put(AppleFolder.description(UInt32(number), features), "model0/coremldata.bin")
      let error = #expect(throws: MLModelError.self) { try folder.model() }
      #expect(error?.underlyingCode == "runtime.closed-model-type", "\(String(describing: error))")
      #expect(error?.message.contains(name) == true && error?.message.contains(advice) == true)
    }
  }

  @Test(
    arguments: [
      ["encryptionInfo/coremldata.bin": [1, 2, 3]], ["encryptionInfo": [1, 2, 3]],
      ["encryptionInfo/key": [1], "metadata.json": [0x8f, 0x01]],
      ["coremldata.bin": [0xf4, 1, 0, 0, 0, 0, 0, 0], "model.espresso.net": [0x8f, 1, 2]],
      ["coremldata.bin": [0xf6, 1, 0, 0, 0, 0, 0, 0], "model.mil": [0x8f, 1, 2]],
    ] as [[String: [UInt8]]])
  func encryptedModels(_ files: [String: [UInt8]]) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "encrypted-\(UUID().uuidString).mlmodelc")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bytes) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    let error = #expect(throws: MLModelError.self) { try MLModel(contentsOf: folder) }
    #expect(error?.code == .modelDecryption && error?.errorCode == 9, "\(String(describing: error))")
    #expect(error?.message.contains("was encrypted by Apple's tools") == true)
    let asset = try MLModelAsset(url: folder)
    await #expect { _ = try await asset.modelDescription } throws: { ($0 as? MLModelError)?.code == .modelDecryption }
  }
}
