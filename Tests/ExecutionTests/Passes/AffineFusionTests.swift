import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// A norm before a convolution (DenseNet) is one pass, fused with the activation that follows it.
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

  /// A norm without gamma and beta, over rows of elements instead of images.
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

  /// Norms over rows, as exporters write them. The linear layer before the reshapes absorbs the norm, because the
  /// layer's columns are the norm's channels.
  @Test(arguments: [("[4, 3]", "[4, 3, 1]"), ("[4, 3]", "[4, 3, 1, 1]"), ("[1, 4, 3]", "[4, 3, 1]")])
  func aLinearLayerTakesTheNormBehindAReshape(_ rows: String, _ spread: String) throws {
    let text = """
      (tensor<fp32, [4, 2]> x) {
        tensor<fp32, [4, 3]> l = linear(x = x, weight = tensor<fp32, [3, 2]>([[1, -2], [0.5, 1.5], [3, -1]]), bias = tensor<fp32, [3]>([1, 2, -3]));
        tensor<fp32, \(rows)> r = reshape(x = l, shape = tensor<int32, [\(rows.split(separator: ",").count)]>(\(rows)));
        tensor<fp32, \(spread)> s = reshape(x = r, shape = tensor<int32, [\(spread.split(separator: ",").count)]>(\(spread)));
        tensor<fp32, \(spread)> n = \(Self.norm.replacing("x = x", with: "x = s"));
        tensor<fp32, [4, 3]> b = reshape(x = n, shape = tensor<int32, [2]>([4, 3]));
        tensor<fp32, [4, 3]> y = relu(x = b);
      } -> (y)
      """
    let operations = try FusionTests.fused(text, ["x": try FusionTests.ramp([4, 2])])
    #expect(!operations.contains { $0.contains("norm") || $0.contains("affine") })
    #expect(operations.contains { $0.hasPrefix("fused.linear bias") || $0 == "linear bias" })
  }

  /// The norm stays if the columns are not its channels (three elements of each of four channels), or if the value has
  /// another reader.
  @Test(arguments: [("[1, 4, 3]", "y"), ("[3, 4, 1]", "y"), ("[4, 3, 1]", "y, l")])
  func aLinearLayerLeavesOtherNorms(_ spread: String, _ outputs: String) throws {
    let channels = spread == "[4, 3, 1]" ? "[3]" : "[4]"
    let numbers = spread == "[4, 3, 1]" ? "1, -1, 2" : "1, -1, 2, 0.5"
    let text = """
      (tensor<fp32, [4, 2]> x) {
        tensor<fp32, [4, 3]> l = linear(x = x, weight = tensor<fp32, [3, 2]>([[1, -2], [0.5, 1.5], [3, -1]]));
        tensor<fp32, \(spread)> s = reshape(x = l, shape = tensor<int32, [3]>(\(spread)));
        tensor<fp32, \(spread)> y = batch_norm(x = s, mean = tensor<fp32, \(channels)>([\(numbers)]), variance = tensor<fp32, \(channels)>([\(numbers.replacing("-", with: ""))]));
      } -> (\(outputs))
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([4, 2])]).contains { $0.hasPrefix("batch_norm") })
  }

  /// A multiplication and an addition with one constant per channel are equivalent to a norm. The pass fuses them
  /// alone, with the activation that follows, or into the convolution before them. Constants along other axes stay
  /// unfused.
  @Test(arguments: [
    ("[3, 1, 1]", "relu(x = s)", ["fused.affine activation"]),
    ("[1, 3, 1, 1]", "relu(x = s)", ["fused.affine activation"]),
    ("[3, 1, 1]", "softmax(x = s, axis = int32(1))", ["batch_norm", "softmax"]),
    ("[1, 1, 3]", "cos(x = s)", ["mul", "add", "cos"]),
  ])
  func aNumberForEachChannel(_ shape: String, _ last: String, _ expected: [String]) throws {
    func literal(_ numbers: [String]) -> String {
      var text = numbers.joined(separator: ", ")
      let sizes = shape.dropFirst().dropLast().split(separator: ", ")
      if sizes.last == "1" { text = numbers.map { "[[\($0)]]" }.joined(separator: ", ") }
      if sizes == ["1", "1", "3"] { text = "[[\(text)]]" }
      if sizes.count == 4 { text = "[\(text)]" }
      return "tensor<fp32, \(shape)>([\(text)])"
    }
    let text = """
      (tensor<fp32, [2, 3, 4, 3]> x) {
        tensor<fp32, [2, 3, 4, 3]> m = mul(x = \(literal(["2", "-1", "0.5"])), y = x);
        tensor<fp32, [2, 3, 4, 3]> s = add(x = m, y = \(literal(["1", "0.25", "-3"])));
        tensor<fp32, [2, 3, 4, 3]> y = \(last);
      } -> (y)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([2, 3, 4, 3])]) == expected)
  }

  @Test func aConvolutionTakesANumberForEachChannel() throws {
    let text = """
      (tensor<fp32, [1, 3, 4, 4]> x) {
        tensor<fp32, [1, 2, 4, 4]> c = conv(x = x, weight = tensor<fp32, [2, 3, 1, 1]>([[[[1]], [[-2]], [[3]]], [[[0.5]], [[1.5]], [[-1]]]]));
        tensor<fp32, [1, 2, 4, 4]> m = mul(x = c, y = tensor<fp32, [2, 1, 1]>([[[2]], [[-3]]]));
        tensor<fp32, [1, 2, 4, 4]> y = add(x = m, y = tensor<fp32, [2, 1, 1]>([[[1]], [[0.5]]]));
      } -> (y)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([1, 3, 4, 4])]) == ["conv bias"])
  }
}
