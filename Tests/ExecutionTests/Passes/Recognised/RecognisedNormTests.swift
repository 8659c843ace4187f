import MIL
import Testing

@testable import CoreMLExecution

/// Norms and affine functions that a pass recognizes or folds keep the file's constants.
@Suite struct RecognisedNormTests {
  /// Rows whose variance is of the order of epsilon, so that epsilon affects the result.
  private static func rows(_ shape: [Int]) throws -> Tensor {
    try Tensor(.float32, shape: shape, doubles: (0..<shape.reduce(1, *)).map { Double(($0 * 37) % 19) / 300 - 0.03 })
  }

  private static func norm(
    epsilon: String = "0.001", own: String = "1e-12", two: String = "2", root: String = "-0.5", isCentered: Bool = true
  ) -> String {
    """
    (tensor<fp32, [5, 3]> x) {
      tensor<fp32, [5, 1]> m = reduce_mean(x = x, axes = tensor<int32, [1]>([-1]), keep_dims = bool(true));
      tensor<fp32, [5, 3]> d = \(isCentered ? "sub(x = x, y = m)" : "abs(x = x)");
      tensor<fp32, [5, 3]> q = pow(x = d, y = fp32(\(two)));
      tensor<fp32, [5, 1]> v = reduce_mean(x = q, axes = tensor<int32, [1]>([-1]), keep_dims = bool(true));
      tensor<fp32, [5, 1]> e = add(x = v, y = fp32(\(epsilon)));
      tensor<fp32, [5, 1]> r = \(own == "pow" ? "pow(x = e, y = fp32(\(root)))" : "rsqrt(x = e, epsilon = fp32(\(own)))");
      tensor<fp32, [5, 3]> n = mul(x = d, y = r);
      tensor<fp32, [5, 3]> g = mul(x = n, y = tensor<fp32, [3]>([2, -1, 0.9995117]));
      tensor<fp32, [5, 3]> y = \(isCentered ? "add(x = g, y = tensor<fp32, [3]>([0.25, 1.0009766, -1]))" : "identity(x = g)");
    } -> (y)
    """
  }

  private static func joined(_ text: String) throws -> Operation? {
    try FusionTests.lowered(text, ["x": rows([5, 3])], within: 2e-6).first {
      ["layer_norm", "fused.rms_norm"].contains($0.type)
    }
  }

  @Test(arguments: NumbersBeside.all(0.001) + NumbersBeside.fp16(1e-5) + [0, 6e-8], [true, false])
  func theEpsilonOfANorm(_ epsilon: Float, _ isCentered: Bool) throws {
    for text in [
      Self.norm(epsilon: "\(epsilon)", isCentered: isCentered),
      Self.norm(epsilon: "\(epsilon)", own: "pow", isCentered: isCentered),
      Self.norm(epsilon: "0", own: "\(epsilon)", isCentered: isCentered),
    ] {
      let found = try #require(try Self.joined(text))
      let own = try #require(try found.value("epsilon", [:])?.tensor?.floats().first)
      // `rsqrt` adds its own epsilon.
      #expect(own == epsilon || own == Float(Double(epsilon) + Double(Float(1e-12))))
    }
  }

  /// Exponents that are nearly those of a norm do not make a norm.
  @Test(
    arguments: NumbersBeside.fp16(2) + NumbersBeside.fp32(2) + [
      Float(Float16(2).nextUp), Float(Float16(2).nextDown),
    ])
  func theSquareOfANorm(_ two: Float) throws {
    #expect(try Self.joined(Self.norm(two: "\(two)", isCentered: false)) == nil)
  }

  @Test(arguments: NumbersBeside.fp16(-0.5) + NumbersBeside.fp32(-0.5))
  func theRootOfANorm(_ root: Float) throws {
    #expect(try Self.joined(Self.norm(own: "pow", root: "\(root)")) == nil)
    #expect(try Self.joined(Self.norm(own: "pow")) != nil)
  }

  /// A `batch_norm` fused into a convolution, before an activation, and alone. Also the factors and terms of a fused
  /// norm.
  @Test(arguments: NumbersBeside.all(0.001) + NumbersBeside.fp16(1e-5))
  func theEpsilonOfABatchNorm(_ epsilon: Float) throws {
    let norm = """
      batch_norm(x = c, mean = tensor<fp32, [2]>([0.5, -1]), variance = tensor<fp32, [2]>([0.0001, 0.002]),
        gamma = tensor<fp32, [2]>([0.9995117, 3]), beta = tensor<fp32, [2]>([1, -1]), epsilon = fp32(\(epsilon)))
      """
    let weight = "tensor<fp32, [2, 2, 1, 1]>([[[[1]], [[-2]]], [[[0.5]], [[1.5]]]])"
    for (source, end, tolerance) in [
      ("conv(x = x, weight = \(weight))", "identity(x = n)", 3e-6), ("abs(x = x)", "relu(x = n)", 2e-6),
      ("abs(x = x)", "abs(x = n)", 2e-6),
    ] {
      let text = """
        (tensor<fp32, [1, 2, 4, 4]> x) {
          tensor<fp32, [1, 2, 4, 4]> c = \(source);
          tensor<fp32, [1, 2, 4, 4]> n = \(norm);
          tensor<fp32, [1, 2, 4, 4]> y = \(end);
        } -> (y)
        """
      // The product of mean and factor is up to 30, and sums of that size have a proportional rounding error.
      _ = try FusionTests.lowered(text, ["x": Self.rows([1, 2, 4, 4])], within: 30 * tolerance)
    }
    let affine = """
      (tensor<fp32, [1, 2, 4, 4]> x) {
        tensor<fp32, [1, 2, 4, 4]> c = conv(x = x, weight = \(weight));
        tensor<fp32, [1, 2, 4, 4]> p = mul(x = c, y = tensor<fp32, [2, 1, 1]>([[[\(1 + epsilon)]], [[\(1 - epsilon)]]]));
        tensor<fp32, [1, 2, 4, 4]> y = add(x = p, y = tensor<fp32, [2, 1, 1]>([[[\(epsilon)]], [[-\(epsilon)]]]));
      } -> (y)
      """
    _ = try FusionTests.lowered(affine, ["x": FusionTests.ramp([1, 2, 4, 4])], within: 3e-6)
  }

  /// Without a positive variance, weights have no scale. The norm stays unfused and gives the same infinities and NaN.
  @Test(arguments: [("0", "0"), ("-1", "0.5"), ("1e-45", "0")]) func aNormWithoutAVariance(
    _ variance: String, _ epsilon: String
  ) throws {
    let text = """
      (tensor<fp32, [1, 2, 2, 2]> x) {
        tensor<fp32, [1, 1, 2, 2]> c = conv(x = x, weight = tensor<fp32, [1, 2, 1, 1]>([[[[1]], [[0]]]]));
        tensor<fp32, [1, 1, 2, 2]> n = batch_norm(x = c, mean = tensor<fp32, [1]>([0.5]), variance = tensor<fp32, [1]>([\(variance)]), epsilon = fp32(\(epsilon)));
        tensor<fp32, [1, 1, 2, 2]> y = sigmoid(x = n);
      } -> (y)
      """
    _ = try FusionTests.lowered(text, ["x": FusionTests.ramp([1, 2, 2, 2])], within: 1e-6, allowsNaN: true)
  }

  /// Only a padding of zeros becomes padding of the convolution.
  @Test(arguments: ["5.9604645e-08", "-5.9604645e-08", "1e-45"]) func thePaddingOfAConvolution(_ number: String) throws
  {
    let text = """
      (tensor<fp32, [1, 1, 4, 4]> x) {
        tensor<fp32, [1, 1, 6, 6]> p = pad(x = x, pad = tensor<int32, [4]>([1, 1, 1, 1]), mode = string("constant"), constant_val = fp32(\(number)));
        tensor<fp32, [1, 1, 6, 6]> y = conv(x = p, weight = tensor<fp32, [1, 1, 1, 1]>([[[[1e10]]]]));
      } -> (y)
      """
    let found = try FusionTests.lowered(text, ["x": FusionTests.ramp([1, 1, 4, 4])], within: 1e-6)
    #expect(found.contains { $0.type == "pad" })
  }

  /// The scale of an attention is the product of the factors in the file.
  @Test(arguments: NumbersBeside.all(0.125) + NumbersBeside.all(0.577_350_269_189_625_8) + [-0.125, 0])
  func theScaleOfAnAttention(_ scale: Float) throws {
    let (number, divisor) = (NumbersBeside.text(scale), NumbersBeside.text(1 / scale))
    let spellings = [
      ("a", "w = mul(x = s, y = \(number))"), ("a", "w = mul(x = \(number), y = s)"), ("q", ""),
      ("a", "w = real_div(x = s, y = \(divisor))"),
    ]
    for (query, between) in spellings where scale != 0 || !between.contains("real_div") {
      let text = """
        (tensor<fp32, [1, 2, 5, 3]> a, tensor<fp32, [1, 2, 5, 3]> k, tensor<fp32, [1, 2, 5, 3]> v) {
          tensor<fp32, [1, 2, 5, 3]> q = mul(x = a, y = \(number));
          tensor<fp32, [1, 2, 5, 5]> s = matmul(x = \(query), y = k, transpose_y = bool(true));
          \(between.isEmpty ? "" : "tensor<fp32, [1, 2, 5, 5]> \(between);")
          tensor<fp32, [1, 2, 5, 5]> p = softmax(x = \(between.isEmpty ? "s" : "w"), axis = int32(-1));
          tensor<fp32, [1, 2, 5, 3]> y = matmul(x = p, y = v);
        } -> (y)
        """
      let x = try FusionTests.ramp([1, 2, 5, 3])
      let large = try Tensor(.float32, shape: [1, 2, 5, 3], doubles: x.doubles().map { $0 * 8 })
      let found = try FusionTests.lowered(text, ["a": large, "k": x, "v": x], within: 5e-6)
      let attention = try #require(found.first { $0.type == AttentionShape.operationName })
      let own = try #require(try attention.value("scale", [:])?.tensor?.floats().first)
      #expect(own == scale || between.contains("real_div") && abs(own - scale) <= 2 * scale.ulp)
    }
  }

  /// Factors whose product does not fit into one fp32 value stay unfused.
  @Test(arguments: ["1e-42", "1e30"]) func aScaleThatIsTooLarge(_ divisor: String) throws {
    let text = """
      (tensor<fp32, [1, 5, 3]> a, tensor<fp32, [1, 5, 3]> k, tensor<fp32, [1, 5, 3]> v) {
        tensor<fp32, [1, 5, 3]> q = real_div(x = a, y = fp32(\(divisor)));
        tensor<fp32, [1, 5, 3]> l = real_div(x = k, y = fp32(\(divisor)));
        tensor<fp32, [1, 5, 5]> s = matmul(x = q, y = l, transpose_y = bool(true));
        tensor<fp32, [1, 5, 5]> p = softmax(x = s, axis = int32(-1));
        tensor<fp32, [1, 5, 3]> y = matmul(x = p, y = v);
      } -> (y)
      """
    let (tiny, x) = (Float(divisor) ?? 1, try FusionTests.ramp([1, 5, 3]))
    let scaled = try Tensor(.float32, shape: [1, 5, 3], doubles: x.doubles().map { $0 * Double(tiny) })
    let found = try FusionTests.lowered(text, ["a": scaled, "k": scaled, "v": x], within: 2e-3)
    #expect(!found.contains { $0.type == AttentionShape.operationName })
  }
}
