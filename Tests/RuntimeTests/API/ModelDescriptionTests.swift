import Foundation
import TestSupport
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// The demo model through the public API.
@Suite struct ModelDescriptionTests {
  static let digits = Checkout.root.appending(path: "examples/digits")

  static func model() async throws -> MLModel {
    let compiled = try await MLModel.compileModel(at: digits.appending(path: "Digits.mlpackage"))
    defer { try? FileManager.default.removeItem(at: compiled) }
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return try MLModel(contentsOf: compiled, configuration: configuration)
  }

  @Test func aClassifierSaysWhatItGives() async throws {
    let description = try await Self.model().modelDescription
    let words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    #expect(description.classLabels as? [String] == words)
    #expect(description.predictedFeatureName == "classLabel")
    #expect(description.predictedProbabilitiesName == "classLabel_probs")
    #expect(!description.isUpdatable && description.trainingInputDescriptionsByName.isEmpty)
    let image = try #require(description.inputDescriptionsByName["image"])
    #expect(image.type == .image && image.imageConstraint?.sizeConstraint.type == .unspecified)
    #expect(description.outputDescriptionsByName["classLabel_probs"]?.dictionaryConstraint?.keyType == .string)
  }

  @Test func concurrentPredictionsEqualSequentialOnes() async throws {
    let model = try await Self.model()
    let constraint = try #require(model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
    let names = ["five", "nine", "seven", "three", "two", "zero"]
    let rows = try names.map { name in
      let url = Self.digits.appending(path: "\(name).png")
      return try MLDictionaryFeatureProvider(dictionary: ["image": MLFeatureValue(imageAt: url, constraint: constraint)]
      )
    }
    @Sendable func probabilities(_ output: any MLFeatureProvider) -> [String: Double] {
      let pairs = output.featureValue(for: "classLabel_probs")?.dictionaryValue ?? [:]
      return Dictionary(uniqueKeysWithValues: pairs.map { ("\($0.key)", $0.value.doubleValue) })
    }
    let single = try rows.map { probabilities(try model.prediction(from: $0)) }
    let labels = try rows.map { try model.prediction(from: $0).featureValue(for: "classLabel")?.stringValue }
    #expect(labels == names)
    let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: rows))
    #expect((0..<batch.count).map { probabilities(batch.features(at: $0)) } == single, "bit for bit")
    let repeated = try await withThrowingTaskGroup(of: (Int, [String: Double]).self) { group in
      for round in 0..<24 {
        let row = rows[round % rows.count]
        group.addTask {
          let output = try await model.prediction(from: row, options: MLPredictionOptions())
          return (round % rows.count, probabilities(output))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for (index, values) in repeated { #expect(values == single[index]) }
  }
}

@Suite struct ModelAssetTests {
  private static let package = ModelDescriptionTests.digits.appending(path: "Digits.mlpackage/Data/com.apple.CoreML")

  private static func asset(_ blob: URL) throws -> MLModelAsset {
    let weights = try Data(contentsOf: package.appending(path: "weights/weight.bin"))
    return try MLModelAsset(
      specification: Data(contentsOf: package.appending(path: "model.mlmodel")), blobMapping: [blob: weights])
  }

  @Test func aModelFromMemoryPredictsAsOneFromDisk() async throws {
    let disk = try await ModelDescriptionTests.model()
    let constraint = try #require(disk.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
    let image = try MLFeatureValue(
      imageAt: ModelDescriptionTests.digits.appending(path: "two.png"), constraint: constraint)
    let row = try MLDictionaryFeatureProvider(dictionary: ["image": image])
    let expected = try await disk.prediction(from: row).featureValue(for: "classLabel_probs")
    let names = [
      URL(filePath: "@model_path/weights/weight.bin"), try #require(URL(string: "@model_path/weights/weight.bin")),
      URL(filePath: "weights/weight.bin"), try #require(URL(string: "weights/weight.bin")),
    ]
    for blob in names {
      let asset = try Self.asset(blob)
      #expect(try await asset.modelDescription.predictedFeatureName == "classLabel")
      #expect(try await asset.functionNames.isEmpty)
      let memory = try await MLModel.load(asset: asset)
      #expect(try await memory.prediction(from: row).featureValue(for: "classLabel_probs") == expected)
    }
  }

  @Test func whatIsMissingIsNamed() async throws {
    #expect(throws: MLModelError.self) { try MLModelAsset(specification: Data("no model".utf8)) }
    let asset = try Self.asset(URL(filePath: "@model_path/weights/other.bin"))
    do {
      _ = try await MLModel.load(asset: asset)
      Issue.record("loaded without its weights")
    } catch let error as MLModelError {
      #expect(error.message.contains("@model_path/weights/weight.bin") && error.message.contains("other.bin"))
    }
    let whole = try Self.asset(URL(filePath: "@model_path/weights/weight.bin"))
    await #expect(throws: MLModelError.self) { try await whole.modelDescription(of: "absent") }
  }
}

@Suite struct ModelStructureTests {
  @Test func aCompiledModelShowsItsOperations() async throws {
    let compiled = try await MLModel.compileModel(at: ModelDescriptionTests.digits.appending(path: "Digits.mlpackage"))
    defer { try? FileManager.default.removeItem(at: compiled) }
    guard case .program(let program) = try await MLModelStructure.load(contentsOf: compiled) else {
      Issue.record("no program")
      return
    }
    let main = try #require(program.functions["main"])
    #expect(main.inputs.map(\.name) == ["image"])
    let convolutions = main.block.operations.filter { $0.operatorName == "conv" }
    #expect(convolutions.count == 3)
    let first = try #require(convolutions.first)
    #expect(first.outputs.map(\.type.description) == ["tensor<fp32, [1, 16, 32, 32]>"])
    guard case .name? = first.inputs["x"]?.bindings.first else {
      Issue.record("a convolution reads a value by name")
      return
    }
    #expect(main.block.outputNames.count == 2)
  }
}
