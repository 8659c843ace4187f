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

  /// Norms over rows as exports spell them: the linear layer in front of the reshapes takes them, whose columns are the norm's channels.
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

  /// Columns that are not channels (three numbers of each of four channels), and a value that somebody else sees: the norm stays.
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

  /// A product and a sum with a number for each channel are the norm that they stand for: by itself, with the activation that follows, within
  /// the convolution in front. What has other axes stays.
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
