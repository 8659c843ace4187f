import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLKernels

/// The parts of a split linear layer become separate products.
@Suite struct SplitProductTests {
  private static func numbers(_ shape: [Int], _ step: Int) -> String {
    var parts = (0..<shape.reduce(1, *)).map { "\(Float(($0 * step) % 37 - 18) / 64)" }
    for size in shape.reversed() {
      parts = stride(from: 0, to: parts.count, by: size).map { "[\(parts[$0..<$0 + size].joined(separator: ", "))]" }
    }
    return parts[0]
  }

  /// A gated layer over `rows` rows of 24 elements. `columns` are the widths of the value and of its gate.
  private static func gated(
    _ columns: [Int] = [32, 32], rows: Int = 20, bias: Bool = true, axis: Int = 2, scalar: String = "fp32",
    more: String = "", output: String = "y"
  ) -> String {
    let total = columns.reduce(0, +)
    let weight = "tensor<\(scalar), [\(total), 24]>(\(numbers([total, 24], 29)))"
    let tail = bias ? ", bias = tensor<\(scalar), [\(total)]>(\(numbers([total], 7)))" : ""
    return """
      (tensor<\(scalar), [1, \(rows), 24]> x) {
        tensor<\(scalar), [1, \(rows), \(total)]> a = linear(x = x, weight = \(weight)\(tail));
        tensor<\(scalar), [1, \(rows), \(columns[0])]> v, tensor<\(scalar), [1, \(rows), \(columns[1])]> g = split(x = a, axis = int32(\(axis)), split_sizes = tensor<int32, [2]>(\(columns)));
        tensor<\(scalar), [1, \(rows), \(columns[1])]> h = gelu(x = g, mode = string("EXACT"));
        \(more)
        tensor<\(scalar), [1, \(rows), \(columns[0])]> y = \(columns[0] == columns[1] ? "mul(x = v, y = h)" : "square(x = v)");
        tensor<\(scalar), [1, \(rows), \(columns[1])]> z = square(x = h);
      } -> (\(output), z)
      """
  }

  private func lowered(_ text: String, rows: Int = 20) throws -> [String] {
    try FusionTests.fused(text, ["x": FusionTests.ramp([1, rows, 24])])
  }

  @Test(arguments: [true, false], [2, -1]) func aGateEndsItsOwnProduct(bias: Bool, axis: Int) throws {
    let operations = try lowered(Self.gated(bias: bias, axis: axis))
    let tail = bias ? " bias" : ""
    #expect(
      operations.filter { $0.contains("linear") }.sorted() == ["fused.linear\(tail) activation", "linear\(tail)"])
    #expect(!operations.contains("split"))
  }

  @Test func partsMayBeOfSeveralSizes() throws {
    #expect(try !lowered(Self.gated([16, 64])).contains("split"))
  }

  @Test func otherSplitsStay() throws {
    // Not split: widths that are not a multiple of the vector length, few rows, another reader, a function result, and
    // another axis.
    #expect(try lowered(Self.gated([24, 40])).contains("split"))
    #expect(try lowered(Self.gated(rows: 4), rows: 4).contains("split"))
    #expect(try lowered(Self.gated(more: "tensor<fp32, [1, 20, 64]> e = exp(x = a);", output: "e")).contains("split"))
    #expect(try lowered(Self.gated(output: "a")).contains("split"))
    let across = """
      (tensor<fp32, [1, 64, 24]> x) {
        tensor<fp32, [1, 64, 32]> a = linear(x = x, weight = tensor<fp32, [32, 24]>(\(Self.numbers([32, 24], 29))));
        tensor<fp32, [1, 32, 32]> y, tensor<fp32, [1, 32, 32]> z = split(x = a, axis = int32(1), num_splits = int32(2));
        tensor<fp32, [1, 32, 32]> w = mul(x = y, y = z);
      } -> (w)
      """
    #expect(try FusionTests.fused(across, ["x": FusionTests.ramp([1, 64, 24])]).contains("split"))
  }

  /// Products read fp16 weights in place. Weights in other encodings are decoded starting at the offset of their part.
  @Test func weightsStayAsTheyAreStored() throws {
    let function = try FusionTests.main(Self.gated(scalar: "fp16"))
    let x = try FusionTests.ramp([1, 20, 24]).converted(to: .float16)
    func run(_ fuses: Bool) throws -> [Double] {
      let engine = Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: fuses))
      return try #require(try EngineTests.run(engine, ["x": x])["y"])
    }
    for (a, b) in zip(try run(false), try run(true)) { #expect(abs(a - b) <= 2e-3 * max(1, abs(a))) }
    let quantized = """
      (tensor<fp32, [1, 20, 24]> x) {
        tensor<fp32, [64, 24]> w = constexpr_blockwise_shift_scale(data = tensor<int8, [64, 24]>(\(Self.bytes(64 * 24, 24))), scale = tensor<fp32, [64, 1]>(\(Self.numbers([64, 1], 5))));
        tensor<fp32, [1, 20, 64]> a = linear(x = x, weight = w);
        tensor<fp32, [1, 20, 16]> v, tensor<fp32, [1, 20, 48]> g = split(x = a, axis = int32(2), split_sizes = tensor<int32, [2]>([16, 48]));
        tensor<fp32, [1, 20, 48]> y = silu(x = g);
        tensor<fp32, [1, 20, 16]> z = square(x = v);
      } -> (y, z)
      """
    #expect(try !FusionTests.fused(quantized, ["x": FusionTests.ramp([1, 20, 24])]).contains("split"))
  }

  private static func bytes(_ count: Int, _ columns: Int) -> String {
    let all = (0..<count).map { "\(($0 * 31) % 251 - 125)" }
    let rows = stride(from: 0, to: count, by: columns).map { "[\(all[$0..<$0 + columns].joined(separator: ", "))]" }
    return "[\(rows.joined(separator: ", "))]"
  }
}
