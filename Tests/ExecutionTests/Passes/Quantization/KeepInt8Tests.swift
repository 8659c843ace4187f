import CKernels
import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

extension Trait where Self == ConditionTrait {
  /// The processor supports int8 products.
  static var needsBytes: Self { .enabled(if: ck_int8_supported(), "the processor has no int8 products") }
}

/// Operations between `dequantize` and `quantize` run on int8 values and give the fp32 results.
@Suite(.needsBytes) struct KeepInt8Tests {
  private static func quantize(_ from: String, _ to: String, _ shape: [Int], _ scale: String, zero: Int = 0) -> String {
    """
    tensor<int8, \(shape)> \(to) = quantize(input = \(from), scale = fp32(\(scale)), zero_point = int8(\(zero)), output_dtype = string("int8"));
    """
  }

  private static func widen(_ from: String, _ to: String, _ shape: [Int], _ scale: String, zero: Int = 0) -> String {
    "tensor<fp32, \(shape)> \(to) = dequantize(input = \(from), scale = fp32(\(scale)), zero_point = int8(\(zero)));"
  }

  private static func weight(_ name: String, _ shape: [Int], _ step: Int) -> String {
    let data = Int8ProductTests.literal("int8", shape) { "\(($0 * step) % 251 - 125)" }
    let ones = [shape[0]] + shape.dropFirst().map { _ in 1 }
    let scale = Int8ProductTests.literal("fp32", ones) { "\(Float(1 + $0 % 4) * 0.0011)" }
    return "tensor<fp32, \(shape)> \(name) = constexpr_blockwise_shift_scale(data = \(data), scale = \(scale));"
  }

  /// A block of a network as coremltools quantizes it. Both inputs of the addition are quantized with the scale of one
  /// of them, and the second branch reads the quantized input.
  private static let block = """
    (tensor<fp32, [1, 32, 10, 9]> x) {
      \(quantize("x", "q0", [1, 32, 10, 9], "0.0217943", zero: 3))
      \(widen("q0", "a", [1, 32, 10, 9], "0.0217943", zero: 3))
      \(weight("u", [144, 32, 1, 1], 37))
      tensor<fp32, [1, 144, 10, 9]> b = conv(x = a, weight = u);
      \(quantize("b", "q1", [1, 144, 10, 9], "0.0313171"))
      \(widen("q1", "c", [1, 144, 10, 9], "0.0313171"))
      tensor<fp32, [1, 144, 10, 9]> d = relu6(x = c);
      \(quantize("d", "q2", [1, 144, 10, 9], "0.0231137"))
      \(widen("q2", "e", [1, 144, 10, 9], "0.0231137"))
      \(weight("v", [144, 1, 3, 3], 41))
      tensor<fp32, [1, 144, 10, 9]> f = conv(x = e, weight = v, groups = int32(144), pad_type = string("same"));
      tensor<fp32, [1, 144, 10, 9]> g = relu(x = f);
      \(quantize("g", "q3", [1, 144, 10, 9], "0.0517391"))
      \(widen("q3", "h", [1, 144, 10, 9], "0.0517391"))
      \(weight("w", [32, 144, 1, 1], 43))
      tensor<fp32, [1, 32, 10, 9]> i = conv(x = h, weight = w);
      \(quantize("i", "q4", [1, 32, 10, 9], "0.0713733"))
      \(widen("q4", "j", [1, 32, 10, 9], "3.2748931"))
      \(widen("q0", "k", [1, 32, 10, 9], "1.0", zero: 3))
      tensor<fp32, [1, 32, 10, 9]> l = add(x = j, y = k);
      \(quantize("l", "q5", [1, 32, 10, 9], "2.5131719"))
      \(widen("q5", "m", [1, 32, 10, 9], "0.0517391"))
      tensor<fp32, [1, 32, 5, 4]> n = max_pool(x = m, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), pad_type = string("valid"));
      \(quantize("n", "q6", [1, 32, 5, 4], "0.0517391"))
      \(widen("q6", "o", [1, 32, 5, 4], "0.0517391"))
      \(weight("t", [16, 32, 3, 3], 47))
      tensor<fp32, [1, 16, 5, 4]> p = conv(x = o, weight = t, pad_type = string("same"));
      tensor<fp32, [1, 16, 5, 4]> y = silu(x = p);
    } -> (y)
    """

  private static func input() throws -> Tensor {
    try StoredProductTests.ramp(.float32, [1, 32, 10, 9], step: 29, modulo: 83)
  }

  private static func run(_ text: String) throws -> [Operation] {
    try FusionTests.lowered(text, ["x": input()], within: 2e-5)
  }

  @Test func aBlockOfANetworkIsOfBytes() throws {
    let operations = try Self.run(Self.block)
    #expect(
      operations.map(\.type) == [
        "quantize", "quantized.conv", "quantized.conv", "quantized.conv", "quantized.add", "max_pool", "quantized.conv",
      ])
    let products = operations.filter { $0.type == "quantized.conv" }
    #expect(products.map { $0.inputs["table"] != nil } == [true, false, false, false])
    #expect(products.map { $0.inputs["scale"] != nil } == [true, true, true, false])
    #expect(
      products.map { $0.value("activation", [:])?.tensor.flatMap { try? $0.strings().first } } == [
        nil, "relu", nil, "silu",
      ])
    let engine = Engine(function: try FusionTests.main(Self.block), devices: DeviceChoice(threads: 2))
    let rows = try engine.plan(for: ["x": Self.input().type]).steps.map(\.choice.kernel)
    #expect(
      rows.filter { $0.hasSuffix(".int8") && $0 != "quantize.nchwc.int8" } == [
        "quantized.conv.int8", "quantized.conv.depthwise.int8", "quantized.conv.int8",
        "quantized.add.nchwc.int8", "pool.nchwc.int8", "quantized.conv.int8",
      ])
  }

  /// Other readers of the fp32 values still get them. int8 values that are a result stay a result.
  @Test func othersReadWhatTheyRead() throws {
    let both = Self.block.replacing("} -> (y)", with: "} -> (y, q2, l)")
    let operations = try Self.run(both)
    #expect(operations.map(\.type).filter { $0.hasPrefix("quantized.") }.count == 4)
    #expect(operations.contains { $0.type == "add" } && !operations.contains { $0.type == "quantized.add" })
  }

  /// Weights that are not int8 are multiplied in fp32, between int8 values.
  @Test func otherWeightsStayFloats() throws {
    let weight = Int8ProductTests.literal("fp32", [144, 1, 3, 3]) { "\(Float(($0 * 41) % 97) / 97 - 0.4)" }
    let text = Self.block.replacing(
      Self.weight("v", [144, 1, 3, 3], 41), with: "tensor<fp32, [144, 1, 3, 3]> v = const()[val = \(weight)];")
    let operations = try Self.run(text)
    #expect(operations.map(\.type).filter { $0 == "quantized.conv" }.count == 3)
    #expect(operations.contains { $0.type == "fused.conv" })
  }

  /// One operand of the addition is broadcast, so both stay fp32.
  @Test func sumsOfTwoShapesStayFloats() throws {
    let text = """
      (tensor<fp32, [1, 32, 10, 9]> x) {
        \(Self.quantize("x", "q0", [1, 32, 10, 9], "0.0217943"))
        \(Self.widen("q0", "a", [1, 32, 10, 9], "0.0217943"))
        tensor<fp32, [1, 32, 1, 1]> m = reduce_mean(x = a, axes = tensor<int32, [2]>([2, 3]), keep_dims = bool(true));
        \(Self.quantize("m", "q1", [1, 32, 1, 1], "0.0123717"))
        \(Self.widen("q1", "n", [1, 32, 1, 1], "0.0123717"))
        tensor<fp32, [1, 32, 10, 9]> s = add(x = a, y = n);
        \(Self.quantize("s", "q2", [1, 32, 10, 9], "0.0313171"))
        \(Self.widen("q2", "y", [1, 32, 10, 9], "0.0313171"))
      } -> (y)
      """
    #expect(try Self.run(text).contains { $0.type == "add" })
  }

  /// Two identical quantizations of a value become one.
  @Test func bytesAreMadeOnce() throws {
    let text = Self.block.replacing(
      "\(Self.widen("q0", "k", [1, 32, 10, 9], "1.0", zero: 3))",
      with: Self.quantize("x", "q7", [1, 32, 10, 9], "0.0217943", zero: 3)
        + Self.widen("q7", "k", [1, 32, 10, 9], "1.0", zero: 3))
    #expect(try Self.run(text).filter { $0.type == "quantize" }.count == 1)
  }

  @Test(arguments: [("sigmoid(x = a)", true), ("leaky_relu(x = a, alpha = fp32(0.1))", true), ("sin(x = a)", false)])
  func functionsOfBytesAreTables(_ function: String, _ isTable: Bool) throws {
    let text = """
      (tensor<fp32, [1, 32, 10, 9]> x) {
        \(Self.quantize("x", "q0", [1, 32, 10, 9], "0.0217943", zero: 3))
        \(Self.widen("q0", "a", [1, 32, 10, 9], "0.0217943", zero: 3))
        tensor<fp32, [1, 32, 10, 9]> b = \(function);
        \(Self.quantize("b", "q1", [1, 32, 10, 9], "0.0123717", zero: -20))
        \(Self.widen("q1", "y", [1, 32, 10, 9], "0.0123717", zero: -20))
      } -> (y, q0)
      """
    #expect(try Self.run(text).contains { $0.type == "quantized.lookup" } == isTable)
  }
}
