import Foundation

@testable import CoreMLGenerate

/// Models built in code instead of read from files.
enum Samples {
  static let vector = ArrayInterface(element: .float32, shape: [2], flexibility: .fixed)
  static let picture = ImageInterface(width: 3, height: 2, pixels: .rgb, flexibility: .fixed)

  static func feature(_ name: String, _ kind: FeatureKind = .double, isOptional: Bool = false) -> ModelFeature {
    ModelFeature(name: name, kind: kind, isOptional: isOptional, summary: "")
  }

  /// A model named `M` with one function.
  static func model(
    _ name: String = "M", inputs: [ModelFeature] = [], outputs: [ModelFeature] = [], predicted: String? = nil,
    labels: ModelLabels? = nil
  ) -> ModelClass {
    ModelClass(
      name: name, resource: name, specificationVersion: 9, summary: "", author: "", license: "", version: "",
      functions: [
        ModelFunction(
          name: "main", inputs: inputs, outputs: outputs, states: [], predicted: predicted, labels: labels)
      ], trainingInputs: [])
  }
}
