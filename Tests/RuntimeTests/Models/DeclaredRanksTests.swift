import CoreMLSpec
import Foundation
import TestModels
import Testing

@testable import CoreMLImport
@testable import CoreMLRuntime

/// Outputs whose declared rank differs from the operation's. coremltools writes them for `squeeze` with an unknown
/// size.
@Suite struct DeclaredRanksTests {
  private func run(_ program: String, _ values: [Float], _ shape: [Int]) throws -> [Double] {
    try AppleFolder.make { folder in
      try folder.flexible(program, shape)
      return try folder.run(values, shape)
    }
  }

  /// A slice of one row from a position known only at run time.
  private static let stretch = """
    tensor<int32, [2]> s = shape(x = x);
    tensor<int32, [2]> zero = sub(x = s, y = s);
    tensor<int32, [2]> begin = add(x = zero, y = tensor<int32, [2]>([1, 2]));
    tensor<int32, [2]> end = add(x = begin, y = tensor<int32, [2]>([1, 2]));
    tensor<fp32, [?, ?]> part = slice_by_index(x = x, begin = begin, end = end);
    """

  @Test func theOperationTellsTheRank() throws {
    let y = try run(
      """
      (tensor<fp32, [?, ?]> x) {
        \(Self.stretch)
        tensor<fp32, [?, ?]> line = squeeze(x = part, axes = tensor<int32, [1]>([0]));
        tensor<fp32, [?, ?]> twice = mul(x = line, y = fp32(2));
        tensor<fp32, [2]> y = reshape(x = twice, shape = tensor<int32, [1]>([2]));
      } -> (y)
      """, (0..<12).map { Float($0) }, [3, 4])
    #expect(y == [12, 14])
  }

  /// For an empty list of axes, Core ML squeezes all axes of size one and coremltools squeezes none. The declared type
  /// decides.
  @Test func anEmptyListSqueezesWhatIsDeclared() throws {
    func squeezed(_ type: String) throws -> [Double] {
      try run(
        """
        (tensor<fp32, [1, 2]> x) {
          tensor<fp32, [\(type)]> line = squeeze(x = x, axes = tensor<int32, [0]>([]));
          tensor<fp32, [2]> y = reshape(x = line, shape = tensor<int32, [1]>([2]));
        } -> (y)
        """, [3, 4], [1, 2])
    }
    #expect(try squeezed("2") == [3, 4])
    #expect(try squeezed("1, 2") == [3, 4])
  }

  @Test func itTellsTheRankWithinBlocks() throws {
    let y = try run(
      """
      (tensor<fp32, [?, ?]> x) {
        tensor<fp32, []> first = reduce_sum(x = x, axes = tensor<int32, [2]>([0, 1]), keep_dims = bool(false));
        bool isPositive = greater(x = first, y = fp32(0));
        tensor<fp32, [2]> y = cond(pred = isPositive)
          block() {
            \(Self.stretch)
            tensor<fp32, [?, ?]> line = squeeze(x = part, axes = tensor<int32, [1]>([0]));
            tensor<fp32, [2]> a = reshape(x = line, shape = tensor<int32, [1]>([2]));
          } -> (a)
          block() {
            tensor<fp32, [2]> b = const()[val = tensor<fp32, [2]>([0.0, 0.0])];
          } -> (b);
      } -> (y)
      """, (0..<12).map { Float($0) }, [3, 4])
    #expect(y == [6, 7])
  }

  /// A wrong declared rank with known sizes is an error in the file.
  @Test func knownSizesOfAnotherRankAreRefused() {
    let error = #expect(throws: MLModelError.self) {
      try run(
        "(tensor<fp32, [?, ?]> x) { tensor<fp32, [2, 2, 2]> y = mul(x = x, y = fp32(2)); } -> (y)", [1, 2, 3, 4],
        [2, 2])
    }
    #expect(error?.message.contains("is declared as") == true)
  }
}
