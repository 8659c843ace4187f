import Foundation
import TestSupport
import Testing

@testable import CoreMLRuntime

/// States that blocks of loops and branches change.
@Suite struct BlockStateTests {
  /// Models that coremltools wrote: two predictions on one `MLState`, and one on another.
  @Test(
    arguments: [
      ("loop", [[3, 6], [12, 18], [3, 6]]), ("branch", [[1, 2], [4, 6], [1, 2]]),
    ] as [(String, [[Double]])])
  func modelsOfCoremltools(_ name: String, expected: [[Double]]) throws {
    let url = Checkout.cases.appending(path: "models/states/\(name).mlpackage")
    let compiled = try MLModel.compileModel(at: url)
    defer { try? FileManager.default.removeItem(at: compiled) }
    let model = try MLModel(contentsOf: compiled)
    let (one, other) = (model.makeState(), model.makeState())
    for (number, (input, state)) in [([1, 2], one), ([3, 4], one), ([1, 2], other)].enumerated() {
      let x = try MLMultiArray(shape: [2], dataType: .float32)
      for (index, element) in input.enumerated() { x[index] = NSNumber(value: element) }
      let result = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["x": x]), using: state)
      let y = try #require(result.featureValue(for: "y")?.multiArrayValue)
      #expect((0..<2).map { y[$0].doubleValue } == expected[number])
    }
  }
}
