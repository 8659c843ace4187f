import MIL
import Testing

@testable import CoreMLExecution

/// The reference implementation is the last resort: no estimate makes it cheaper than a kernel.
@Suite struct ReferenceCostTests {
  private static func rows(_ size: Int, _ kept: Int) throws -> [String] {
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [2, \(size)]> x) {
        tensor<fp32, [2, \(kept)]> y, tensor<int32, [2, \(kept)]> z = topk(x = x, k = int32(\(kept)), axis = int32(-1));
      } -> (y, z)
      """)
    return try engine.plan(for: engine.inputTypes).steps.map(\.choice.kernel)
  }

  @Test(arguments: [(33_600, 300), (1000, 1000), (5, 1)]) func topkRunsOnItsKernel(size: Int, kept: Int) throws {
    #expect(try Self.rows(size, kept) == ["sort.words"])
  }
}
