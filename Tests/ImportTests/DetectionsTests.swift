import CoreMLImport
import MIL
import Testing

/// Which outputs of a function are the results of an object detector.
@Suite struct DetectionsTests {
  private static func function(outputs: Int) throws -> Function {
    let labels = Tensor(strings: ["cat", "dog"], shape: [2])
    let names = (0..<outputs).map { NamedType("y\($0)", .tensor(TensorType(.float64, [3, 4]))) }
    let suppression = Operation(
      "ml.non_maximum_suppression", inputs: ["labels": [.literal(.tensor(labels))]], outputs: names)
    return Function(
      inputs: [], opset: "ios18", body: Block(operations: [suppression], outputs: names.map(\.name)))
  }

  @Test func theFirstTwoResultsAreThose() throws {
    let found = try #require(Self.function(outputs: 4).detections)
    #expect(found.confidence == "y0" && found.coordinates == "y1" && found.labels == ["cat", "dog"])
  }

  /// A function that was not verified, or that has other results, is not a detector.
  @Test(arguments: [0, 1]) func fewerResultsAreNone(outputs: Int) throws {
    #expect(try Self.function(outputs: outputs).detections == nil)
  }
}
