import MIL
import Testing

@testable import CoreMLExecution

/// Activations that a pass recognizes by their parts keep the file's constants. Fused and unfused forms agree within
/// fp32 rounding.
@Suite struct RecognisedActivationTests {
  /// From -8 to 8, with denser points around the corners of a hard swish.
  private static let points: [Double] =
    stride(from: -8.0, through: 8, by: 0.0625).map { $0 }
    + [-3.0, 3].flatMap { corner in (-40...40).map { corner + Double($0) / 8192 } }

  /// The fused operations for `y`, a function of `b`. `b` is either the input or the result of a product.
  private static func run(_ body: String, ofProduct: Bool) throws -> [Operation] {
    let type = "tensor<fp32, [\(points.count), 1]>"
    let text = """
      (\(type) x) {
        \(type) b = \(ofProduct ? "linear(x = x, weight = tensor<fp32, [1, 1]>([[1]]))" : "identity(x = x)");
        \(body.replacing("let ", with: type + " "))
      } -> (y)
      """
    let x = try Tensor(.float32, shape: [points.count, 1], doubles: points)
    return try FusionTests.lowered(text, ["x": x], within: 6e-7, spreads: false).filter { $0.type != "identity" }
  }

  private static func number(_ parameter: String, _ operations: [Operation]) throws -> Float? {
    try operations.compactMap { try $0.value(parameter, [:])?.tensor?.floats().first }.first
  }

  private static func activation(_ operations: [Operation]) throws -> String? {
    try operations.compactMap { try $0.value("activation", [:])?.tensor?.strings().first }.first
  }

  @Test(arguments: NumbersBeside.all(1.0 / 6) + [0.2], [false, true])
  func theSlopeOfAHardSwish(_ slope: Float, _ ofProduct: Bool) throws {
    let gate =
      "let g = sigmoid_hard(x = b, alpha = \(NumbersBeside.text(slope)), beta = fp32(0.5)); let y = mul(x = b, y = g);"
    let found = try Self.run(gate, ofProduct: ofProduct)
    #expect(found.count == 1)
    #expect(try Self.activation(found) == "hard_swish_scaled")
    #expect(try Self.number("alpha", found) == slope)
    #expect(try Self.number("beta", found) == 1)
  }

  @Test(arguments: NumbersBeside.all(1.0 / 6), [false, true])
  func theFactorOfAHardSwish(_ factor: Float, _ ofProduct: Bool) throws {
    let number = NumbersBeside.text(factor)
    let ramp = "let t = add(x = b, y = fp32(3)); let r = relu6(x = t);"
    for body in [
      "\(ramp) let s = mul(x = r, y = \(number)); let y = mul(x = b, y = s);",
      "\(ramp) let s = mul(x = \(number), y = r); let y = mul(x = s, y = b);",
      "\(ramp) let s = mul(x = b, y = r); let y = mul(x = s, y = \(number));",
    ] {
      let found = try Self.run(body, ofProduct: ofProduct)
      #expect(found.count == 1)
      #expect(try Self.activation(found) == "hard_swish_scaled")
      #expect(try Self.number("alpha", found) == factor)
    }
  }

  @Test(arguments: NumbersBeside.all(6), [false, true])
  func theDivisorOfAHardSwish(_ divisor: Float, _ ofProduct: Bool) throws {
    let found = try Self.run(
      "let t = add(x = b, y = fp32(3)); let r = relu6(x = t); let s = mul(x = b, y = r); let y = real_div(x = s, y = \(NumbersBeside.text(divisor)));",
      ofProduct: ofProduct)
    #expect(found.count == 1)
    #expect(try Self.activation(found) == "hard_swish_scaled")
    #expect(try Self.number("alpha", found) == Float(1 / Double(divisor)))
  }

  /// coremltools' spelling. With one sixth in fp16, the gate is not yet 0 at -3, so the fused activation keeps the
  /// threshold.
  @Test(
    arguments: NumbersBeside.all(1.0 / 6), [-3, Float(-3).nextUp, Float(-3).nextDown, -2.998_046_9, -3.001_953_1, -2])
  func theCutOfAHardSwish(_ slope: Float, _ cut: Float) throws {
    let body = """
      let w = thresholded_relu(x = b, alpha = \(NumbersBeside.text(cut)));
      let g = sigmoid_hard(x = w, alpha = \(NumbersBeside.text(slope)), beta = fp32(0.5)); let y = mul(x = w, y = g);
      """
    for ofProduct in [false, true] {
      let found = try Self.run(body, ofProduct: ofProduct)
      #expect(found.count == 1)
      let isZero = Double(slope) * Double(cut) + 0.5 <= 0
      #expect(try Self.activation(found) == (isZero ? "hard_swish_scaled" : "hard_swish_cut"))
      #expect(try Self.number("alpha", found) == slope)
      if !isZero { #expect(try Self.number("beta", found) == cut) }
    }
  }

  /// The ideal constants still give the plain hard swish.
  @Test(arguments: [
    "let g = sigmoid_hard(x = b, alpha = fp32(0.16666667), beta = fp32(0.5)); let y = mul(x = b, y = g);",
    "let t = add(x = b, y = fp32(3)); let r = relu6(x = t); let s = real_div(x = r, y = fp32(6)); let y = mul(x = b, y = s);",
    """
    let w = thresholded_relu(x = b, alpha = fp32(-3)); let g = sigmoid_hard(x = w, alpha = fp32(0.16666667), beta = fp32(0.5));
    let y = mul(x = w, y = g);
    """,
  ]) func theIdealHardSwish(_ body: String) throws {
    let found = try Self.run(body, ofProduct: true)
    #expect(found.count == 1)
    #expect(try Self.activation(found) == "hard_swish")
  }

  /// The constants 3, 0 and 6 of the ramp and 1/2 of the gate have to be exact. Other constants stay unfused.
  @Test(arguments: [
    ("3", "0", "6", "0.5"), ("T", "0", "6", "0.5"), ("3", "Z", "6", "0.5"), ("3", "0", "S", "0.5"),
    ("3", "0", "6", "H"),
  ]) func theOtherNumbersOfAHardSwish(_ sum: String, _ low: String, _ high: String, _ half: String) throws {
    let numbers = [("T", 3.0), ("Z", 0), ("S", 6), ("H", 0.5)]
    for index in 0..<4 {
      func text(_ word: String) -> String {
        guard let ideal = numbers.first(where: { $0.0 == word })?.1 else { return word }
        let least = Float.leastNonzeroMagnitude
        let beside = ideal == 0 ? [5.9604645e-08, -5.9604645e-08, least, -least] : NumbersBeside.all(ideal)
        return "\(beside[index % beside.count])"
      }
      let ramp = """
        let t = add(x = b, y = fp32(\(text(sum)))); let r = clip(x = t, alpha = fp32(\(text(low))), beta = fp32(\(text(high))));
        let s = mul(x = r, y = fp32(0.16662598)); let y = mul(x = b, y = s);
        """
      let gate = """
        let g = sigmoid_hard(x = b, alpha = fp32(0.16662598), beta = fp32(\(text(half)))); let y = mul(x = b, y = g);
        """
      let isExact = (sum, low, high, half) == ("3", "0", "6", "0.5")
      let found = try Self.run(half == "0.5" ? ramp : gate, ofProduct: true)
      #expect(try (Self.activation(found) == "hard_swish_scaled") == isExact)
    }
  }

  /// Joined bounds are the tightest of the bounds in the file.
  @Test(arguments: NumbersBeside.all(6) + NumbersBeside.all(1), ["-1", "-1.0000001", "-0.99999994", "-0.9995117"])
  func boundsThatAreJoined(_ bound: Float, _ sign: String) throws {
    let number = NumbersBeside.text(bound)
    _ = try Self.run("let r = relu(x = b); let y = clip(x = r, alpha = fp32(-1), beta = \(number));", ofProduct: true)
    _ = try Self.run(
      """
      let r = relu(x = b); let n = linear_activation(x = r, alpha = fp32(\(sign)), beta = fp32(0));
      let m = threshold(x = n, alpha = fp32(-\(bound))); let y = linear_activation(x = m, alpha = fp32(-1), beta = fp32(0));
      """, ofProduct: true)
  }

  /// Parameters of activations that are fused into a product or a norm, or that are steps of a pointwise chain.
  @Test(arguments: [
    "leaky_relu(x = b, alpha = N)", "elu(x = b, alpha = N)", "clamped_relu(x = b, alpha = N, beta = N)",
    "thresholded_relu(x = b, alpha = N)", "sigmoid_hard(x = b, alpha = N, beta = N)",
    "linear_activation(x = b, alpha = N, beta = N)", "scaled_tanh(x = b, alpha = N, beta = N)",
    "clip(x = b, alpha = fp32(-2), beta = N)",
  ]) func parametersOfActivations(_ operation: String) throws {
    for number in NumbersBeside.all(0.2) {
      let own = operation.replacing("N", with: NumbersBeside.text(number))
      let found = try Self.run("let y = \(own);", ofProduct: true)
      #expect(found.map(\.type) == ["fused.linear"])
      let expected = try FusionTests.main("(tensor<fp32, [1]> b) { tensor<fp32, [1]> y = \(own); } -> (y)").body
        .operations[0]
      for parameter in ["alpha", "beta"] where expected.inputs[parameter] != nil {
        #expect(try Self.number(parameter, found) == Self.number(parameter, [expected]))
      }
      let chain = try Self.run(
        "let a = exp(x = b); let c = \(own.replacing("x = b", with: "x = a")); let y = mul(x = c, y = \(NumbersBeside.text(number)));",
        ofProduct: false)
      #expect(chain.map(\.type) == ["fused.pointwise"])
    }
  }
}
