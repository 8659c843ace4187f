import MIL
import Testing

/// The plan folds zeros around an image into the padding of the convolution.
@Suite struct FoldPaddingTests {
  private static func run(_ pad: String, conv: String, outputs: String = "y") throws -> [String] {
    let weight = Int8ProductTests.literal("fp32", [3, 2, 3, 3]) { "\(Float($0 % 7) - 3)" }
    let text = """
      (tensor<fp32, [1, 2, 6, 5]> x) {
        tensor<fp32, [1, 2, ?, ?]> p = pad(x = x, \(pad));
        tensor<fp32, [1, 3, ?, ?]> y = conv(x = p, weight = \(weight)\(conv));
      } -> (\(outputs))
      """
    let x = try FusionTests.ramp([1, 2, 6, 5])
    return try FusionTests.lowered(text, ["x": x]).map(\.type)
  }

  private static let zeros = "pad = tensor<int32, [4]>([0, 1, 2, 1])"

  @Test(arguments: [
    (zeros, ", strides = tensor<int32, [2]>([2, 2])", true),
    (zeros, ", pad_type = string(\"valid\")", true),
    (zeros, ", pad_type = string(\"custom\"), pad = tensor<int32, [4]>([1, 1, 0, 2])", true),
    (
      "pad = tensor<int32, [8]>([0, 0, 0, 0, 1, 0, 0, 1]), mode = string(\"constant\"), constant_val = fp32(0)", "",
      true
    ),
    (zeros, ", pad_type = string(\"same\")", false),
    (zeros + ", constant_val = fp32(1)", "", false),
    (zeros + ", mode = string(\"reflect\")", "", false),
  ]) func zerosAreTheConvolutionsOwn(_ pad: String, _ conv: String, _ isTaken: Bool) throws {
    #expect(try Self.run(pad, conv: conv).contains("pad") != isTaken)
  }

  @Test func whatOthersReadStays() throws {
    #expect(try Self.run(Self.zeros, conv: "", outputs: "y, p").contains("pad"))
  }
}
