import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// PyTorch's `expand` with -1, as coremltools writes it, and repetition counts that are 0 for another reason.
@Suite struct ExpandedAxesTests {
  private func shape(_ program: String, _ values: [Float], _ shape: [Int]) throws -> [Int]? {
    try AppleFolder.make { folder in
      try folder.flexible(program, shape)
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": CustomLayers.array(values, shape)])
      return try folder.model().prediction(from: input).featureValue(for: "y")?.multiArrayValue?.shape.map(\.intValue)
    }
  }

  /// The requested sizes are (n, 1, -1), for a tensor of (1, 1, 4) and for one of (1, 1, 1).
  @Test(arguments: [4, 1], ["", "floor"]) func anAxisThatIsKeptIsCopiedOnce(_ width: Int, _ kind: String) throws {
    let division = kind.isEmpty ? "real_div" : "floor_div"
    let found = try shape(
      """
      (tensor<fp32, [?, 3]> x) {
        tensor<int32, [2]> s = shape(x = x);
        tensor<int32, [1]> n = slice_by_index(x = s, begin = tensor<int32, [1]>([0]), end = tensor<int32, [1]>([1]));
        tensor<int32, [3]> wanted = concat(values = (n, tensor<int32, [1]>([1]), tensor<int32, [1]>([-1])), axis = int32(0), interleave = bool(false));
        tensor<int32, [3]> reps = \(division)(x = wanted, y = tensor<int32, [3]>([1, 1, \(width)]));
        tensor<fp32, [1, 1, \(width)]> c = const()[val = tensor<fp32, [1, 1, \(width)]>([[[\((0..<width).map { "\($0).0" }.joined(separator: ", "))]]])];
        tensor<fp32, [?, ?, ?]> y = tile(x = c, reps = reps);
      } -> (y)
      """, [1, 2, 3, 4, 5, 6], [2, 3])
    #expect(found == [2, 1, width])
  }

  @Test func aCountOfNothingGivesNothing() throws {
    let text = """
      (tensor<fp32, [?]> x) {
        tensor<int32, [?, 1]> places = non_zero(x = x);
        tensor<int32, [2]> s = shape(x = places);
        tensor<int32, [1]> n = slice_by_index(x = s, begin = tensor<int32, [1]>([0]), end = tensor<int32, [1]>([1]));
        tensor<fp32, [?]> y = tile(x = tensor<fp32, [1]>([7.0]), reps = n);
      } -> (y)
      """
    #expect(try shape(text, [0, 2, 3], [3]) == [2])
    #expect(try shape(text, [0, 0, 0], [3]) == [0])
  }

  @Test func knownRepetitionsOfNoneAreOnes() throws {
    let text = "(tensor<fp32, [?]> x) { tensor<fp32, [?]> y = tile(x = x, reps = tensor<int32, [1]>([0])); } -> (y)"
    #expect(try shape(text, [1, 2, 3], [3]) == [3])
  }
}
