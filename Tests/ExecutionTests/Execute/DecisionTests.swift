import MIL
import Testing

@testable import CoreMLExecution

/// Decisions of docs/internals/decisions.md that no case in Tests/Cases can express.
@Suite struct DecisionTests {
  /// Two votes for each of two labels and one for a third. A tie goes to the label of the nearest sample, whatever the
  /// order of labels.
  @Test(arguments: [("[1, 2, 2, 1, 3]", 1), ("[2, 1, 1, 2, 3]", 2), ("[3, 2, 1, 1, 2]", 2), ("[3, 1, 2, 2, 1]", 1)])
  func equalVotesOfNeighbors(_ labels: String, _ expected: Int) throws {
    let function = try FusionTests.main(
      """
      (tensor<fp64, [1]> x) {
        tensor<int64, []> label, dict<int64, fp64> shares = ml.nearest_neighbors(x = x,
          samples = tensor<fp32, [5, 1]>([[1], [2], [3], [4], [5]]), labels = tensor<int64, [5]>(\(labels)), default = int64(0), k = int32(5));
      } -> (label)
      """)
    for fuses in [false, true] {
      let engine = Engine(function: function, devices: DeviceChoice(threads: 1, allowsFusion: fuses))
      let found = try EngineTests.run(engine, ["x": Tensor(float64: [0], shape: [1])])
      #expect(found["label"] == [Double(expected)])
    }
  }

  /// Of two equally near samples, the one with the lower index is the neighbor.
  @Test func equallyNearSamples() throws {
    let function = try FusionTests.main(
      """
      (tensor<fp64, [1]> x) {
        tensor<int64, []> label, dict<int64, fp64> shares = ml.nearest_neighbors(x = x,
          samples = tensor<fp32, [4, 1]>([[2], [-1], [1], [-1]]), labels = tensor<int64, [4]>([4, 3, 2, 1]), default = int64(0), k = int32(1));
      } -> (label)
      """)
    for fuses in [false, true] {
      let engine = Engine(function: function, devices: DeviceChoice(threads: 1, allowsFusion: fuses))
      #expect(try EngineTests.run(engine, ["x": Tensor(float64: [0], shape: [1])])["label"] == [3])
    }
  }
}
