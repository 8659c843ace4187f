import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Activations that are quantized and dequantized, and convolutions with int8 weights, run as fewer operations with the
/// same results.
@Suite struct QuantizationFusionTests {
  private static func program(
    before: String, zero: String, _ scalar: String, wideZero: String? = nil, wideScale: String = "0.0625"
  ) -> String {
    """
    (tensor<fp32, [2, 3]> x) {
      tensor<fp32, [2, 3]> a = \(before);
      tensor<\(scalar), [2, 3]> q = quantize(input = a, scale = fp32(0.0625), zero_point = \(scalar)(\(zero)), output_dtype = string("\(scalar)"));
      tensor<fp32, [2, 3]> y = dequantize(input = q, scale = fp32(\(wideScale)), zero_point = \(scalar)(\(wideZero ?? zero)));
    } -> (y)
    """
  }

  private static func run(_ text: String) throws -> [String] {
    let x = try Tensor(.float32, shape: [2, 3], doubles: [-40, -1.03125, 0.3, 1.09375, 5.99, 40])
    return try FusionTests.lowered(text, ["x": x], within: 0).map { operation in
      let name = operation.value("activation", [:])?.tensor.flatMap { try? $0.strings().first }
      return ([operation.type] + (name.map { [$0] } ?? [])).joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("exp(x = x)", "3", "int8", ["exp", "fused.activation steps"]),
    ("relu(x = x)", "0", "uint8", ["fused.activation steps"]),
    ("relu(x = x)", "-128", "int8", ["fused.activation steps"]),
    ("relu(x = x)", "0", "int8", ["fused.activation positive_steps"]),
    ("relu(x = x)", "5", "uint8", ["fused.activation positive_steps"]),
    ("relu6(x = x)", "0", "int8", ["fused.activation positive_steps"]),
    ("relu6(x = x)", "0", "uint8", ["fused.activation positive_steps"]),
    ("tanh(x = x)", "0", "int8", ["tanh", "fused.activation steps"]),
  ]) func bytesBetweenAreLeftOut(_ before: String, _ zero: String, _ scalar: String, _ expected: [String]) throws {
    #expect(try Self.run(Self.program(before: before, zero: zero, scalar)) == expected)
  }

  @Test func otherStepsOnTheWayBackStayTwoOperations() throws {
    let scale = Self.program(before: "exp(x = x)", zero: "3", "int8", wideScale: "0.125")
    #expect(try Self.run(scale) == ["exp", "quantize", "dequantize"])
    let zero = Self.program(before: "exp(x = x)", zero: "3", "int8", wideZero: "2")
    #expect(try Self.run(zero) == ["exp", "quantize", "dequantize"])
  }

  /// The quantized values are an output as well, so `quantize` stays. The fused activation does not read them.
  @Test func bytesThatSomebodyElseReadsStay() throws {
    let text = Self.program(before: "relu(x = x)", zero: "0", "uint8").replacing("-> (y)", with: "-> (y, q)")
    #expect(try Self.run(text) == ["relu", "quantize", "fused.activation steps"])
  }

  @Test func aProductEndsWithItsSteps() throws {
    let text = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 2]> p = linear(x = x, weight = \(FusionTests.linear));
        tensor<fp32, [5, 2]> r = relu(x = p);
        tensor<uint8, [5, 2]> q = quantize(input = r, scale = fp32(0.0625), zero_point = uint8(0), output_dtype = string("uint8"));
        tensor<fp32, [5, 2]> y = dequantize(input = q, scale = fp32(0.0625), zero_point = uint8(0));
      } -> (y)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([5, 3])]) == ["fused.linear activation"])
  }

  /// A quantized convolution becomes a convolution with an epilogue. One with a scale of zero stays on the reference
  /// implementation.
  @Test(arguments: [("[0.5, -0.25]", true), ("[0.5, 0]", false)])
  func aQuantizedConvolutionIsOneOfStoredWeights(_ scales: String, _ isSpelled: Bool) throws {
    let text = """
      (tensor<fp32, [1, 3, 4, 4]> x) {
        tensor<fp32, [1, 2, 4, 4]> c = conv_quantized(x = x, weight = tensor<uint8, [2, 3, 1, 1]>([[[[1]], [[200]], [[3]]], [[[40]], [[15]], [[255]]]]),
          quantization_type = string("linear"), nbits = int32(8), quant_scale = tensor<fp32, [2]>(\(scales)), quant_bias = tensor<fp32, [2]>([-3, 7]));
        tensor<fp32, [1, 2, 4, 4]> y = relu(x = c);
      } -> (y)
      """
    let operations = try FusionTests.fused(text, ["x": try FusionTests.ramp([1, 3, 4, 4])])
    #expect(operations == (isSpelled ? ["fused.conv activation"] : ["conv_quantized", "relu"]))
  }
}
