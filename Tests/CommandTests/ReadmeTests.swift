import CoreML
import Foundation
import TestSupport
import Testing

/// The sample of README.md, line by line. It has to compile and behave as described. Paths are absolute, and `#require`
/// replaces the sample's `guard`, whose `fatalError` would end the whole test process.
@Suite(.tags(.process)) struct ReadmeTests {
  @Test func theSampleNamesTheDigit() async throws {
    let digits = CommandRun.digits
    let compiled = try await MLModel.compileModel(at: digits.appending(path: "Digits.mlpackage"))
    defer { try? FileManager.default.removeItem(at: compiled.deletingLastPathComponent()) }
    let model = try await MLModel.load(contentsOf: compiled)
    let constraint = try #require(model.modelDescription.inputDescriptionsByName["image"]?.imageConstraint)
    let image = try MLFeatureValue(imageAt: digits.appending(path: "seven.png"), constraint: constraint)
    let prediction = try await model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": image]))
    #expect(prediction.featureValue(for: "classLabel")?.stringValue == "seven")
  }
}
