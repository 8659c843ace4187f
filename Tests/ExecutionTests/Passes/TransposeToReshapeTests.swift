import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// A transpose that moves no element is a reshape, and does not prevent fusion of a layer with its reader.
@Suite struct TransposeToReshapeTests {
  private static let weight = "tensor<fp32, [3, 3]>([[1, -2, 3], [0.5, 1.5, -1], [2, 0, -1]])"

  /// As in a transformer whose batch is the second axis.
  @Test func aLayerTakesTheSumBehindATranspose() throws {
    let text = """
      (tensor<fp32, [1, 4, 3]> x, tensor<fp32, [1, 4, 3]> r) {
        tensor<fp32, [4, 1, 3]> t = transpose(x = x, perm = tensor<int32, [3]>([1, 0, 2]));
        tensor<fp32, [4, 3]> f = reshape(x = t, shape = tensor<int32, [2]>([4, 3]));
        tensor<fp32, [4, 3]> l = linear(x = f, weight = \(Self.weight));
        tensor<fp32, [4, 1, 3]> w = reshape(x = l, shape = tensor<int32, [3]>([4, 1, 3]));
        tensor<fp32, [1, 4, 3]> u = transpose(x = w, perm = tensor<int32, [3]>([1, 0, 2]));
        tensor<fp32, [1, 4, 3]> y = add(x = r, y = u);
      } -> (y)
      """
    let inputs = ["x": try FusionTests.ramp([1, 4, 3]), "r": try FusionTests.ramp([1, 4, 3])]
    #expect(try FusionTests.fused(text, inputs) == ["reshape", "reshape", "reshape", "fused.linear add"])
  }

  /// Not changed: values with other readers, rows that become columns, and axes that really change their order.
  @Test func othersStay() throws {
    let text = """
      (tensor<fp32, [2, 4, 3]> x) {
        tensor<fp32, [4, 2, 3]> t = transpose(x = x, perm = tensor<int32, [3]>([1, 0, 2]));
        tensor<fp32, [4, 2, 3]> l = linear(x = t, weight = \(Self.weight));
        tensor<fp32, [8, 3]> f = reshape(x = l, shape = tensor<int32, [2]>([8, 3]));
        tensor<fp32, [8, 3]> y = relu(x = f);
        tensor<fp32, [4, 2, 3]> m = linear(x = t, weight = \(Self.weight));
        tensor<fp32, [4, 6]> g = reshape(x = m, shape = tensor<int32, [2]>([4, 6]));
        tensor<fp32, [4, 6]> z = relu(x = g);
      } -> (y, l, z)
      """
    let found = try FusionTests.fused(text, ["x": try FusionTests.ramp([2, 4, 3])])
    #expect(found == ["transpose", "linear", "reshape", "relu", "linear", "reshape", "relu"])
  }

  /// Axes counted from the end, and one of a size known only at run time.
  @Test func axesMayBeCountedFromTheEnd() throws {
    let text = """
      (tensor<fp32, [2, 1, 3]> x) {
        tensor<fp32, [2, 3, 1]> t = transpose(x = x, perm = tensor<int32, [3]>([0, -1, -2]));
        tensor<fp32, [3, 2, 1]> u = transpose(x = t, perm = tensor<int32, [3]>([1, 0, 2]));
        tensor<fp32, [3, 2, 1]> y = relu(x = u);
      } -> (y)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([2, 1, 3])]) == ["reshape", "transpose", "relu"])
  }
}
