import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Fusion changes which operations run, and does not change their results.
@Suite struct FusionTests {
  static func main(_ text: String) throws -> Function {
    try #require(MILText.parse("program(1.3) { func main<ios18>\(text); }").functions["main"])
  }

  /// The operations of the lowered function, after checking that the plain and the fused function give the same
  /// results.
  ///
  /// - Parameter spreads: list the steps of pointwise chains separately, to show what other passes left to the chains.
  static func lowered(
    _ text: String, _ inputs: [String: Tensor], within tolerance: Double = 1e-5, allowsNaN: Bool = false,
    spreads: Bool = true
  ) throws -> [Operation] {
    let function = try main(text)
    let plain = Engine(function: function, devices: DeviceChoice(threads: 1, allowsFusion: false))
    let fused = Engine(function: function, devices: DeviceChoice(threads: 1))
    let (expected, actual) = (try EngineTests.run(plain, inputs), try EngineTests.run(fused, inputs))
    #expect(expected.keys.sorted() == actual.keys.sorted())
    for (name, values) in expected {
      let other = try #require(actual[name])
      #expect(values.count == other.count)
      for (a, b) in zip(values, other) {
        #expect(
          (allowsNaN && a.isNaN && b.isNaN) || a == b || a.isFinite && abs(a - b) <= tolerance * max(1, abs(a)),
          "\(name)")
      }
    }
    return try fused.regions(for: inputs.mapValues(\.type))[0].function.body.operations
      .filter { $0.constant == nil && !$0.type.hasPrefix("constexpr_") }.flatMap { spreads ? try steps(of: $0) : [$0] }
  }

  private static func steps(of operation: Operation) throws -> [Operation] {
    guard operation.type == "fused.pointwise", let text = operation.value("program", [:]) else { return [operation] }
    let values = operation.inputs["values"] ?? []
    let call = Invocation(
      operation: operation,
      inputTypes: ["values": values.map { _ in operation.outputs[0].type }, "program": [text.type]],
      values: ["values": values.map { _ in nil }, "program": [text]])
    let program = try PointwiseProgram(call)
    return program.steps.map { program.invocation(of: $0, call, []).operation }
  }

  /// The lowered operations as text: types, with the parts that products absorbed.
  static func fused(_ text: String, _ inputs: [String: Tensor]) throws -> [String] {
    try lowered(text, inputs).map {
      ([$0.type] + ["bias", "add", "activation"].filter($0.inputs.keys.contains)).joined(separator: " ")
    }
  }

  static func ramp(_ shape: [Int]) throws -> Tensor {
    let count = shape.reduce(1, *)
    return try Tensor(.float32, shape: shape, doubles: (0..<count).map { Double(($0 * 37) % 19) / 7 - 1.3 })
  }

  static let linear = "tensor<fp32, [2, 3]>([[1, -2, 3], [0.5, 1.5, -1]])"

  @Test func aConvolutionTakesItsNormBiasSumAndActivation() throws {
    let text = """
      (tensor<fp32, [1, 3, 4, 4]> x, tensor<fp32, [1, 2, 4, 4]> r) {
        tensor<fp32, [1, 2, 4, 4]> c = conv(x = x, weight = tensor<fp32, [2, 3, 1, 1]>([[[[1]], [[-2]], [[3]]], [[[0.5]], [[1.5]], [[-1]]]]));
        tensor<fp32, [1, 2, 4, 4]> n = batch_norm(x = c, mean = tensor<fp32, [2]>([0.5, -1]), variance = tensor<fp32, [2]>([4, 9]),
          gamma = tensor<fp32, [2]>([2, 3]), beta = tensor<fp32, [2]>([1, -1]), epsilon = fp32(0.001));
        tensor<fp32, [1, 2, 4, 4]> s = add(x = r, y = n);
        tensor<fp32, [1, 2, 4, 4]> y = leaky_relu(x = s, alpha = fp32(0.25));
      } -> (y)
      """
    let inputs = ["x": try Self.ramp([1, 3, 4, 4]), "r": try Self.ramp([1, 2, 4, 4])]
    #expect(try Self.fused(text, inputs) == ["fused.conv bias add activation"])
  }

  /// x sigmoid(x) and x sigmoid_hard(x) become the equivalent activations. A gate with other constants stays unfused.
  @Test(arguments: [
    ("sigmoid(x = b)", true), ("sigmoid_hard(x = b, alpha = fp32(0.16666667), beta = fp32(0.5))", true),
    ("sigmoid_hard(x = b, alpha = fp32(0.2), beta = fp32(0.5))", true),
    ("sigmoid_hard(x = b, alpha = fp32(0.2), beta = fp32(0.4))", false), ("tanh(x = b)", false),
  ]) func aProductTakesTheGateOfItsResult(_ gate: String, _ isTaken: Bool) throws {
    for order in ["x = b, y = g", "x = g, y = b"] {
      let text = """
        (tensor<fp32, [5, 3]> x) {
          tensor<fp32, [5, 2]> b = linear(x = x, weight = \(Self.linear));
          tensor<fp32, [5, 2]> g = \(gate);
          tensor<fp32, [5, 2]> y = mul(\(order));
        } -> (y)
        """
      let operations = try Self.fused(text, ["x": try Self.ramp([5, 3])])
      #expect(operations.first == (isTaken ? "fused.linear activation" : "linear"))
      #expect(operations.count == (isTaken ? 1 : 3))
    }
  }

  /// coremltools first clamps the inputs for which hard swish is zero. A clamp at another bound changes results, so it
  /// stays an operation.
  @Test(arguments: [("-3", true), ("-2", false)]) func aProductTakesAGateBehindAThreshold(
    _ alpha: String, _ isTaken: Bool
  ) throws {
    let text = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [5, 2]> b = thresholded_relu(x = p, alpha = fp32(\(alpha)));
        tensor<fp32, [5, 2]> g = sigmoid_hard(x = b, alpha = fp32(0.16666667), beta = fp32(0.5));
        tensor<fp32, [5, 2]> y = mul(x = b, y = g);
      } -> (y)
      """
    let operations = try Self.fused(text, ["x": try Self.ramp([5, 3])])
    #expect(
      operations
        == (isTaken ? ["fused.linear activation"] : ["fused.linear activation", "fused.activation activation"]))
  }

  @Test(arguments: [
    ("relu(x = b)", true), ("clip(x = b, alpha = fp32(-0.5), beta = fp32(0.75))", true),
    ("gelu(x = b, mode = string(\"TANH_APPROXIMATION\"))", true), ("silu(x = b)", true), ("exp(x = b)", false),
    ("sigmoid_hard(x = b, alpha = fp32(0.3), beta = fp32(0.4))", true),
  ]) func aProductByAConstantTakesBiasAndActivation(_ activation: String, _ isTaken: Bool) throws {
    let text = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 2]> p = matmul(x = x, y = \(Self.linear), transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp32, [5, 2]> b = add(x = tensor<fp32, [2]>([0.5, -1]), y = p);
        tensor<fp32, [5, 2]> y = \(activation);
      } -> (y)
      """
    let operations = try Self.fused(text, ["x": try Self.ramp([5, 3])])
    #expect(operations == (isTaken ? ["fused.linear bias activation"] : ["fused.linear bias", "exp"]))
  }

  /// Converter spellings of hard swish, mish and SiLU become one activation, fused into a product if one precedes it.
  @Test(arguments: [
    ("s = sigmoid(x = b)", "b", "s", 1),
    ("s = sigmoid_hard(x = b, alpha = fp32(0.16666667), beta = fp32(0.5))", "s", "b", 1),
    (
      "w = thresholded_relu(x = b, alpha = fp32(-3)); tensor<fp32, [5, 2]> s = sigmoid_hard(x = w, alpha = fp32(0.16666667), beta = fp32(0.5))",
      "w", "s", 1
    ),
    (
      "t = add(x = b, y = fp32(3)); tensor<fp32, [5, 2]> r = relu6(x = t); tensor<fp32, [5, 2]> s = real_div(x = r, y = fp32(6))",
      "b", "s", 1
    ),
    ("p1 = softplus(x = b); tensor<fp32, [5, 2]> s = tanh(x = p1)", "b", "s", 1),
    ("s = sigmoid_hard(x = b, alpha = fp32(0.2), beta = fp32(0.5))", "b", "s", 1),
    ("s = sigmoid_hard(x = b, alpha = fp32(0.2), beta = fp32(0.4))", "b", "s", 3),
    (
      "t = add(x = b, y = fp32(2)); tensor<fp32, [5, 2]> r = relu6(x = t); tensor<fp32, [5, 2]> s = real_div(x = r, y = fp32(6))",
      "b", "s", 5
    ),
  ]) func anActivationIsJoinedFromItsParts(_ parts: String, _ left: String, _ right: String, _ count: Int) throws {
    let text = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 2]> b = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [5, 2]> \(parts);
        tensor<fp32, [5, 2]> y = mul(x = \(left), y = \(right));
      } -> (y)
      """
    let operations = try Self.fused(text, ["x": try Self.ramp([5, 3])])
    #expect(operations.count == count, "\(operations)")
    if count == 1 { #expect(operations == ["fused.linear activation"]) }
  }

  /// Norms as separate operations: with and without gamma and beta, in any spelling of squares and roots.
  @Test(arguments: [
    ("square(x = d)", "mul(x = d, y = r)", "rsqrt(x = e, epsilon = fp32(1e-12))"),
    ("mul(x = d, y = d)", "real_div(x = d, y = r)", "sqrt(x = e)"),
    ("pow(x = d, y = fp32(2))", "mul(x = r, y = d)", "pow(x = e, y = fp32(-0.5))"),
  ]) func aNormalizationIsJoinedFromItsParts(_ square: String, _ scaled: String, _ root: String) throws {
    let tail = """
        tensor<fp32, [5, 3]> q = \(square);
        tensor<fp32, [5, 1]> v = reduce_mean(x = q, axes = tensor<int32, [1]>([-1]), keep_dims = bool(true));
        tensor<fp32, [5, 1]> e = add(x = v, y = fp32(0.001));
        tensor<fp32, [5, 1]> r = \(root);
        tensor<fp32, [5, 3]> n = \(scaled);
        tensor<fp32, [5, 3]> g = mul(x = n, y = tensor<fp32, [3]>([2, -1, 0.5]));
      """
    let inputs = ["x": try Self.ramp([5, 3])]
    let layer = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 1]> m = reduce_mean(x = x, axes = tensor<int32, [1]>([-1]), keep_dims = bool(true));
        tensor<fp32, [5, 3]> d = sub(x = x, y = m);
      \(tail)
        tensor<fp32, [5, 3]> y = add(x = g, y = tensor<fp32, [1, 3]>([[0.25, 1, -1]]));
      } -> (y)
      """
    #expect(try Self.fused(layer, inputs) == ["layer_norm"])
    let root = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 3]> d = abs(x = x);
      \(tail)
      } -> (g)
      """
    #expect(try Self.fused(root, inputs) == ["abs", "fused.rms_norm"])
    let seen = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 3]> d = abs(x = x);
      \(tail)
      } -> (g, r)
      """
    #expect(try Self.fused(seen, inputs).contains("reduce_mean"))
  }

  /// Over several of the last axes, as group norms are spelled. Other axes are not fused, and neither are squares over
  /// other axes than the mean.
  @Test(arguments: [
    ("[2, 3]", "[2, 3]", "[2, 2, 1, 1]", true), ("[-1, -2]", "[3, 2]", "[2, 2, 1, 1]", true),
    ("[1, 3]", "[1, 3]", "[2, 1, 4, 1]", false),
  ]) func aNormalizationOfGroupsIsJoined(_ axes: String, _ squares: String, _ kept: String, _ isJoined: Bool) throws {
    let text = """
      (tensor<fp32, [2, 6, 4]> x) {
        tensor<fp32, [2, 2, 4, 3]> g = reshape(x = x, shape = tensor<int32, [4]>([2, 2, 4, 3]));
        tensor<fp32, \(kept)> m = reduce_mean(x = g, axes = tensor<int32, [2]>(\(axes)), keep_dims = bool(true));
        tensor<fp32, [2, 2, 4, 3]> d = sub(x = g, y = m);
        tensor<fp32, [2, 2, 4, 3]> q = square(x = d);
        tensor<fp32, \(kept)> v = reduce_mean(x = q, axes = tensor<int32, [2]>(\(squares)), keep_dims = bool(true));
        tensor<fp32, \(kept)> e = add(x = v, y = fp32(0.001));
        tensor<fp32, \(kept)> r = sqrt(x = e);
        tensor<fp32, [2, 2, 4, 3]> n = real_div(x = d, y = r);
        tensor<fp32, [2, 6, 4]> y = reshape(x = n, shape = tensor<int32, [3]>([2, 6, 4]));
      } -> (y)
      """
    let operations = try Self.fused(text, ["x": try Self.ramp([2, 6, 4])])
    #expect(operations == ["reshape", "layer_norm", "reshape"] || !isJoined)
    #expect(operations.contains("layer_norm") == isJoined)
  }

  @Test func anActivationWhoseInsideIsReadElsewhereStays() throws {
    let text = """
      (tensor<fp32, [4]> x) {
        tensor<fp32, [4]> s = sigmoid(x = x);
        tensor<fp32, [4]> y = mul(x = x, y = s);
      } -> (y, s)
      """
    #expect(try Self.fused(text, ["x": try Self.ramp([4])]) == ["sigmoid", "mul"])
    let whole = """
      (tensor<fp32, [4]> x) {
        tensor<fp32, [4]> t = add(x = x, y = fp32(3));
        tensor<fp32, [4]> r = clip(x = t, alpha = fp32(0), beta = fp32(6));
        tensor<fp32, [4]> m = mul(x = x, y = r);
        tensor<fp32, [4]> y = mul(x = m, y = fp32(0.16666667));
      } -> (y)
      """
    #expect(try Self.fused(whole, ["x": try Self.ramp([4])]) == ["fused.activation activation"])
  }

  /// An addition is fused into one of its two products. The other product stays.
  @Test(arguments: ["x = p, y = q", "x = q, y = p"]) func aSumOfTwoProducts(_ sum: String) throws {
    let text = """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [4, 2]> q = matmul(x = x, y = \(Self.linear), transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp32, [4, 2]> s = add(\(sum));
        tensor<fp32, [4, 2]> y = exp(x = s);
      } -> (y)
      """
    #expect(try Self.fused(text, ["x": try Self.ramp([4, 3])]).sorted() == ["exp", "fused.linear add", "matmul"])
  }

  /// Broadcast constants of every shape: only one value per channel, or one for all channels, is a bias.
  @Test(arguments: [
    ("tensor<fp32, [1, 2]>([[1, 2]])", true), ("fp32(3)", true), ("tensor<fp32, [4, 1]>([[1], [2], [3], [4]])", false),
  ]) func onlyAVectorAlongChannelsIsABias(_ constant: String, _ isTaken: Bool) throws {
    let text = """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [4, 2]> y = add(x = p, y = \(constant));
      } -> (y)
      """
    #expect(
      try Self.fused(text, ["x": try Self.ramp([4, 3])]) == (isTaken ? ["fused.linear bias"] : ["linear", "add"]))
  }

  @Test func aValueThatOthersSeeStays() throws {
    let body = """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [4, 2]> a = relu(x = p);
        tensor<fp32, [4, 2]> y = mul(x = a, y = p);
      }
      """
    #expect(try Self.fused(body + " -> (y)", ["x": try Self.ramp([4, 3])]) == ["linear", "relu", "mul"])
    let twice = """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [4, 2]> y = add(x = p, y = p);
      } -> (y)
      """
    #expect(try Self.fused(twice, ["x": try Self.ramp([4, 3])]) == ["linear", "add"])
    let output = """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [4, 2]> y = relu(x = p);
      } -> (y, p)
      """
    #expect(try Self.fused(output, ["x": try Self.ramp([4, 3])]) == ["linear", "relu"])
  }

  @Test func aDeviceWithoutTheFusedOperationKeepsItsParts() throws {
    let function = try Self.main(
      """
      (tensor<fp32, [4, 3]> x) {
        tensor<fp32, [4, 2]> p = linear(x = x, weight = \(Self.linear));
        tensor<fp32, [4, 2]> y = relu(x = p);
      } -> (y)
      """)
    let missing = KernelRegistry.implementations(for: "fused.linear", on: .openCL).isEmpty
    let left = FuseEpilogue(on: .openCL)(function).body.operations.map(\.type)
    #expect(left == (missing ? ["linear", "relu"] : ["fused.linear"]))
  }
}
