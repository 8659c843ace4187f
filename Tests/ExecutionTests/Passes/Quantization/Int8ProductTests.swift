import CKernels
import CoreMLKernels
import Foundation
import MIL
import Testing

@testable import CoreMLExecution

/// Products with quantized inputs and int8 weights run as int8 products where the processor supports them.
@Suite struct Int8ProductTests {
  /// Two convolutions with a pooling between them and a linear layer. Every input is quantized first.
  private static func program(_ zero: Int, _ scalar: String = "int8") throws -> (text: String, x: Tensor) {
    func bytes(_ from: String, _ to: String, _ shape: [Int], _ scale: String) -> String {
      """
      tensor<\(scalar), \(shape)> \(to)_q = quantize(input = \(from), scale = fp32(\(scale)), zero_point = \(scalar)(\(zero)), output_dtype = string("\(scalar)"));
      tensor<fp32, \(shape)> \(to) = dequantize(input = \(to)_q, scale = fp32(\(scale)), zero_point = \(scalar)(\(zero)));
      """
    }
    func weight(_ name: String, _ shape: [Int], _ step: Int) -> String {
      let ones = [shape[0]] + shape.dropFirst().map { _ in 1 }
      let data = literal("int8", shape) { "\(($0 * step) % 251 - 125)" }
      let scale = literal("fp32", ones) { "\(Float(1 + $0 % 4) * 0.0011)" }
      return "tensor<fp32, \(shape)> \(name) = constexpr_blockwise_shift_scale(data = \(data), scale = \(scale));"
    }
    let text = """
      (tensor<fp32, [1, 64, 14, 14]> x) {
        \(bytes("x", "a", [1, 64, 14, 14], "0.0213"))
        \(weight("v", [64, 64, 3, 3], 37))
        tensor<fp32, [1, 64, 14, 14]> b = conv(x = a, weight = v, pad_type = string("same"));
        tensor<fp32, [1, 64, 14, 14]> c = relu(x = b);
        \(bytes("c", "d", [1, 64, 14, 14], "0.0517"))
        tensor<fp32, [1, 64, 7, 7]> e = max_pool(x = d, kernel_sizes = tensor<int32, [2]>([2, 2]), strides = tensor<int32, [2]>([2, 2]), pad_type = string("valid"));
        \(weight("w", [128, 64, 1, 1], 41))
        tensor<fp32, [1, 128, 7, 7]> f = conv(x = e, weight = w);
        \(bytes("f", "g", [1, 128, 7, 7], "0.1039"))
        tensor<fp32, [128, 49]> h = reshape(x = g, shape = tensor<int32, [2]>([128, 49]));
        \(weight("u", [64, 49], 43))
        tensor<fp32, [128, 64]> y = linear(x = h, weight = u);
      } -> (y)
      """
    return (text, try StoredProductTests.ramp(.float32, [1, 64, 14, 14], step: 29, modulo: 83))
  }

  static func literal(_ scalar: String, _ shape: [Int], _ number: (Int) -> String) -> String {
    func nested(_ sizes: ArraySlice<Int>, _ first: Int) -> String {
      guard let size = sizes.first else { return number(first) }
      let rest = sizes.dropFirst(), step = rest.reduce(1, *)
      return "[" + (0..<size).map { nested(rest, first + $0 * step) }.joined(separator: ", ") + "]"
    }
    return "tensor<\(scalar), \(shape)>(\(nested(shape[...], 0)))"
  }

  @Test(arguments: [("int8", 0), ("int8", -128), ("uint8", 0), ("uint8", 131)])
  func quantisedProductsAreOfBytes(_ scalar: String, _ zero: Int) throws {
    let (text, x) = try Self.program(zero, scalar)
    let operations = try FusionTests.lowered(text, ["x": x], within: 2e-5)
    let products = operations.filter { ["fused.conv", "fused.linear", "quantized.conv"].contains($0.type) }
    #expect(
      products.count == 3
        && products.allSatisfy {
          $0.type == "quantized.conv" || $0.inputs["x_step"] != nil && $0.inputs["x_low"] != nil
        })
    let engine = Engine(function: try FusionTests.main(text), devices: DeviceChoice(threads: 2))
    let choices = try engine.plan(for: ["x": x.type]).steps.map(\.choice)
    let rows = choices.map(\.kernel).filter { $0.hasSuffix(".int8") }
    let refusals = choices.flatMap(\.refusals).filter { $0.kernel.hasSuffix(".int8") }
    let expected = [
      "quantized.conv.int8", "pool.nchwc.int8", "quantized.conv.int8", "linear.packed.int8",
    ]
    #expect(
      rows.filter { !$0.hasSuffix("quantize.nchwc.int8") } == (ck_int8_supported() ? expected : []), "\(refusals)")
  }

  /// A pooling window that contains only padding gives a value that is not quantized.
  @Test(arguments: [(1, true), (2, false)]) func poolingsOfNothingGiveNoSteps(_ pad: Int, _ isNamed: Bool) throws {
    let (text, x) = try Self.program(0)
    let padded = text.replacing(
      "strides = tensor<int32, [2]>([2, 2]), pad_type = string(\"valid\")",
      with:
        "strides = tensor<int32, [2]>([\(pad + 1), \(pad + 1)]), pad_type = string(\"custom\"), pad = tensor<int32, [4]>([\(pad), \(pad), \(pad), \(pad)])"
    ).replacing("[1, 64, 7, 7]", with: "[1, 64, \(pad == 1 ? 8 : 6), \(pad == 1 ? 8 : 6)]")
      .replacing("[1, 128, 7, 7]", with: "[1, 128, \(pad == 1 ? 8 : 6), \(pad == 1 ? 8 : 6)]")
    let end = padded.range(of: "tensor<fp32, [128, 49]> h").map { padded[..<$0.lowerBound] } ?? ""
    let function = try FusionTests.main(end + "} -> (g)")
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    let products = try engine.regions(for: ["x": x.type])[0].function.body.operations.filter {
      ["fused.conv", "quantized.conv"].contains($0.type)
    }
    #expect(products.map { $0.type == "quantized.conv" || $0.inputs["x_step"] != nil } == [true, isNamed])
  }

  /// A convolution whose input is not quantized stays fp32.
  @Test func otherInputsStayFloats() throws {
    let (text, x) = try Self.program(0)
    let other = text.replacing("conv(x = a, weight = v", with: "conv(x = x, weight = v")
    let products = try FusionTests.lowered(other, ["x": x], within: 2e-5).filter {
      ["conv", "fused.conv", "fused.linear", "quantized.conv"].contains($0.type)
    }
    #expect(products.map { $0.type == "quantized.conv" || $0.inputs["x_step"] != nil } == [false, true, true])
  }
}
