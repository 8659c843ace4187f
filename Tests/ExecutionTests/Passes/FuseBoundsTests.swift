import MIL
import Testing

/// Consecutive operations that only clamp a value become one.
@Suite struct FuseBoundsTests {
  private static func run(_ lines: [String], outputs: String = "y") throws -> [Operation] {
    let body = lines.enumerated().map { number, line in
      let (name, before) = (number == lines.count - 1 ? "y" : "v\(number)", number == 0 ? "x" : "v\(number - 1)")
      return "tensor<fp32, [2, 8]> \(name) = \(line.replacing("$", with: before));"
    }
    let text = "(tensor<fp32, [2, 8]> x) { \(body.joined(separator: "\n")) } -> (\(outputs))"
    let numbers: [Double] = [-9, -6, -3, -1, -0.5, 0, 0.5, 1, 2, 3, 5.5, 6, 7, 1e30, -1e30, .nan]
    let x = try Tensor(.float32, shape: [2, 8], doubles: numbers)
    return try FusionTests.lowered(text, ["x": x], within: 0, allowsNaN: true)
  }

  private static let negated = "linear_activation(x = $, alpha = fp32(-1), beta = fp32(0))"

  @Test(arguments: [
    (["relu(x = $)", negated, "threshold(x = $, alpha = fp32(-6))", negated], ["relu6"]),
    (["relu(x = $)", negated, "threshold(x = $, alpha = fp32(-6))", negated, "relu(x = $)"], ["relu6"]),
    (["relu(x = $)", "clip(x = $, alpha = fp32(-1), beta = fp32(3))"], ["clip"]),
    (["threshold(x = $, alpha = fp32(-2))", "threshold(x = $, alpha = fp32(1))"], ["threshold"]),
    (["clip(x = $, alpha = fp32(2), beta = fp32(3))", "clip(x = $, alpha = fp32(0), beta = fp32(1))"], ["clip"]),
    (["relu(x = $)", "relu(x = $)"], ["relu"]),
    // The opset has no operation for an upper bound alone, or for the bounds of a negated value.
    (
      [negated, "threshold(x = $, alpha = fp32(-6))", negated], ["linear_activation", "threshold", "linear_activation"]
    ),
    (["relu(x = $)", negated], ["relu", "linear_activation"]),
  ]) func boundsAreOne(_ lines: [String], _ expected: [String]) throws {
    #expect(try Self.run(lines).map(\.type) == expected)
  }

  @Test func whatOthersSeeStays() throws {
    let lines = ["relu(x = $)", Self.negated, "threshold(x = $, alpha = fp32(-6))", Self.negated]
    #expect(try Self.run(lines, outputs: "y, v1").count == 4)
  }

  @Test func aProductEndsWithThem() throws {
    let text = """
      (tensor<fp32, [5, 3]> x) {
        tensor<fp32, [5, 2]> p = linear(x = x, weight = \(FusionTests.linear));
        tensor<fp32, [5, 2]> r = relu(x = p);
        tensor<fp32, [5, 2]> n = linear_activation(x = r, alpha = fp32(-1), beta = fp32(0));
        tensor<fp32, [5, 2]> t = threshold(x = n, alpha = fp32(-6));
        tensor<fp32, [5, 2]> y = linear_activation(x = t, alpha = fp32(-1), beta = fp32(0));
      } -> (y)
      """
    #expect(try FusionTests.fused(text, ["x": try FusionTests.ramp([5, 3])]) == ["fused.linear activation"])
  }
}
