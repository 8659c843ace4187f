import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// A norm that comes before its convolution, as DenseNet has them, is one pass with the activation behind it.
@Suite struct AffineFusionTests {
  private static let norm = """
    batch_norm(x = x, mean = tensor<fp32, [3]>([0.5, -1, 2]), variance = tensor<fp32, [3]>([4, 9, 0.25]),
          gamma = tensor<fp32, [3]>([2, 3, -1]), beta = tensor<fp32, [3]>([1, -1, 0.5]), epsilon = fp32(0.001))
    """

  @Test(arguments: ["relu(x = n)", "leaky_relu(x = n, alpha = fp32(0.25))", "silu(x = n)"])
  func aNormTakesItsActivation(_ activation: String) throws {
    let text = """
      (tensor<fp32, [2, 3, 4, 4]> x) {
        tensor<fp32, [2, 3, 4, 4]> n = \(Self.norm);
        tensor<fp32, [2, 3, 4, 4]> a = \(activation);
        tensor<fp32, [2, 2, 4, 4]> y = conv(x = a, weight = tensor<fp32, [2, 3, 1, 1]>([[[[1]], [[-2]], [[3]]], [[[0.5]], [[1.5]], [[-1]]]]));
      } -> (y)
      """
    #expect(
      try FusionTests.fused(text, ["x": try FusionTests.ramp([2, 3, 4, 4])]) == ["fused.affine activation", "conv"])
  }

  /// Without factors of its own, and over lines of numbers instead of images.
  @Test func aNormWithoutFactorsTakesItsActivation() throws {
    let text = """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 3]> n = batch_norm(x = x, mean = tensor<fp32, [3]>([0.5, -1, 2]), variance = tensor<fp32, [3]>([4, 9, 0.25]));
        tensor<fp32, [4, 3]> y = relu(x = n);
      } -> (y)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([4, 3])]) == ["fused.affine activation"])
  }

  @Test func aNormThatSomebodyElseReadsStays() throws {
    let text = """
      (tensor<fp32, [2, 3, 4, 4]> x) {
        tensor<fp32, [2, 3, 4, 4]> n = \(Self.norm);
        tensor<fp32, [2, 3, 4, 4]> y = relu(x = n);
      } -> (y, n)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([2, 3, 4, 4])]) == ["batch_norm", "relu"])
  }
}
