import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Fused quantized activations keep the file's scales, and give the same quantized values as the separate operations.
@Suite struct RecognisedBytesTests {
  private static func program(_ between: String, _ first: Float, _ second: Float) -> String {
    """
    (tensor<fp32, [256]> x) {
      tensor<int8, [256]> q = quantize(input = x, scale = fp32(\(first)), zero_point = int8(3), output_dtype = string("int8"));
      tensor<fp32, [256]> w = dequantize(input = q, scale = fp32(\(first)), zero_point = int8(3));
      tensor<fp32, [256]> f = \(between);
      tensor<int8, [256]> p = quantize(input = f, scale = fp32(\(second)), zero_point = int8(-2), output_dtype = string("int8"));
      tensor<fp32, [256]> y = dequantize(input = p, scale = fp32(\(second)), zero_point = int8(-2));
    } -> (y)
    """
  }

  private static func bytes(_ scale: Float) throws -> Tensor {
    try Tensor(.float32, shape: [256], doubles: (-131...124).map { Double(Float($0) * scale) })
  }

  /// Scales whose quotients are ties, or would be ties without the rounding of the operation in between.
  @Test(
    arguments: [(Float(0.1), Float(0.2)), (0.3, 0.6), (0.05, 0.1), (0.7, 0.2), (0.1, 0.025), (0.0217943, 0.0435886)],
    [
      "identity(x = w)", "relu(x = w)", "leaky_relu(x = w, alpha = fp32(0.1))",
      "leaky_relu(x = w, alpha = fp32(0.099975586))",
    ])
  func aFunctionOfBytesIsThatOfItsParts(_ scales: (Float, Float), _ between: String) throws {
    let function = try FusionTests.main(Self.program(between, scales.0, scales.1))
    let plain = Engine(function: function, devices: DeviceChoice(threads: 1, allowsFusion: false))
    let expected = try #require(try EngineTests.run(plain, ["x": Self.bytes(scales.0)])["y"])
    let operations = function.body.operations
    let quantizers = operations.filter { $0.type == "quantize" }
    let (first, second) = (
      try #require(QuantizationParameters(quantizers[0], [:])), try #require(QuantizationParameters(quantizers[1], [:]))
    )
    let middle = try #require(operations.first { $0.outputs[0].name == "f" })
    let activation = FusedActivation(mil: middle, [:]) ?? FusedActivation(.linear, alpha: 1)
    let table = try Int8Function(first).then(activation, second).tensor().doubles()
    let found = table.map { Double(Float($0 - Double(second.zero)) * scales.1) }
    #expect(found == expected)
  }

  /// Values that are dequantized with another scale than they were quantized with stay two operations, each with its
  /// own scale.
  @Test(arguments: NumbersBeside.all(0.1)) func theScaleOfSteps(_ scale: Float) throws {
    for other in [scale.nextUp, scale.nextDown, Float(Float16(scale).nextUp)] {
      let text = """
        (tensor<fp32, [256]> x) {
          tensor<fp32, [256]> r = relu6(x = x);
          tensor<int8, [256]> q = quantize(input = r, scale = fp32(\(scale)), zero_point = int8(3), output_dtype = string("int8"));
          tensor<fp32, [256]> y = dequantize(input = q, scale = fp32(\(other)), zero_point = int8(3));
        } -> (y)
        """
      let found = try FusionTests.lowered(text, ["x": Self.bytes(0.13)], within: 0).map(\.type)
      #expect(found.contains("dequantize"))
      let same = text.replacing("fp32(\(other))", with: "fp32(\(scale))")
      let joined = try FusionTests.lowered(same, ["x": Self.bytes(0.13)], within: 0)
      #expect(joined.map(\.type) == ["fused.activation"])
      #expect(try joined[0].value("alpha", [:])?.tensor?.floats() == [scale])
    }
  }

  /// The scale and the bias of int8 weights.
  @Test(arguments: NumbersBeside.all(0.1)) func theScaleOfByteWeights(_ scale: Float) throws {
    let text = """
      (tensor<fp32, [1, 2, 4, 4]> x) {
        tensor<fp32, [1, 2, 4, 4]> y = conv_quantized(x = x, weight = tensor<uint8, [2, 2, 1, 1]>([[[[0]], [[255]]], [[[3]], [[100]]]]),
          quantization_type = string("linear"), nbits = int32(8), quant_scale = tensor<fp32, [2]>([\(scale), \(scale * 2)]),
          quant_bias = tensor<fp32, [2]>([\(-scale * 3), 0.7]));
      } -> (y)
      """
    let found = try FusionTests.lowered(text, ["x": FusionTests.ramp([1, 2, 4, 4])], within: 5e-6)
    #expect(found.allSatisfy { $0.type != "conv_quantized" })
  }
}
