import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Projections of one value that an attention reads become one product.
@Suite struct FuseProjectionsTests {
  /// Attention of two heads of 16 over 20 rows. Each entry of `layers` describes a projection: its name, its source and
  /// whether it has a bias.
  private static func program(_ layers: [(name: String, source: String, hasBias: Bool)], width: Int = 32) -> String {
    func matrix(_ step: Int, _ rows: Int, _ columns: Int) -> String {
      let lines = (0..<rows).map { row in
        let numbers = (0..<columns).map { "\(Float(((row * columns + $0) * step) % 37 - 18) / 64)" }
        return "[" + numbers.joined(separator: ", ") + "]"
      }
      return "tensor<fp32, [\(rows), \(columns)]>([\(lines.joined(separator: ", "))])"
    }
    let projections = layers.enumerated().map { number, layer in
      let bias = (0..<width).map { "\(Float($0 % 7 - 3 + number) / 8)" }.joined(separator: ", ")
      let tail = layer.hasBias ? ", bias = tensor<fp32, [\(width)]>([\(bias)])" : ""
      let weight = matrix(29 + 2 * number, width, 8)
      return """
        tensor<fp32, [1, 20, \(width)]> \(layer.name) = linear(x = \(layer.source), weight = \(weight)\(tail));
        tensor<fp32, [1, 20, 2, \(width / 2)]> \(layer.name)_r = reshape(x = \(layer.name), shape = tensor<int32, [4]>([1, 20, 2, \(width / 2)]));
        tensor<fp32, [1, 2, 20, \(width / 2)]> \(layer.name)_t = transpose(x = \(layer.name)_r, perm = tensor<int32, [4]>([0, 2, 1, 3]));
        """
    }
    return """
      (tensor<fp32, [1, 20, 8]> x, tensor<fp32, [1, 20, 8]> z) {
        \(projections.joined(separator: "\n  "))
        tensor<fp32, [1, 2, 20, \(width / 2)]> a = scaled_dot_product_attention(query = q_t, key = k_t, value = v_t);
        tensor<fp32, [1, 20, 2, \(width / 2)]> b = transpose(x = a, perm = tensor<int32, [4]>([0, 2, 1, 3]));
        tensor<fp32, [1, 20, \(width)]> y = reshape(x = b, shape = tensor<int32, [3]>([1, 20, \(width)]));
      } -> (y)
      """
  }

  private static func lowered(_ text: String) throws -> [String] {
    let inputs = ["x": try FusionTests.ramp([1, 20, 8]), "z": try FusionTests.ramp([1, 20, 8])]
    return try FusionTests.lowered(text, inputs).map(\.type)
  }

  @Test func projectionsOfOneValueAreOne() throws {
    let all = [("q", "x", true), ("k", "x", true), ("v", "x", true)]
    #expect(try Self.lowered(Self.program(all)) == ["linear", "fused.attention"])
    // The key projection of Whisper has no bias.
    let some = [("q", "x", true), ("k", "x", false), ("v", "x", true)]
    #expect(try Self.lowered(Self.program(some)) == ["linear", "fused.attention"])
    let none = [("q", "x", false), ("k", "x", false), ("v", "x", false)]
    #expect(try Self.lowered(Self.program(none)) == ["linear", "fused.attention"])
  }

  /// Attention over another value: only keys and values share a product.
  @Test func projectionsOfAnotherValueStay() throws {
    let crossed = [("q", "x", true), ("k", "z", true), ("v", "z", true)]
    #expect(try Self.lowered(Self.program(crossed)) == ["linear", "linear", "fused.attention"])
  }

  /// With this width, heads would begin in the middle of a kernel's vector.
  @Test func narrowRowsStay() throws {
    let all = [("q", "x", true), ("k", "x", true), ("v", "x", true)]
    #expect(try Self.lowered(Self.program(all, width: 24)) == ["linear", "linear", "linear", "fused.attention"])
  }

  @Test func whatIsSeenElsewhereStays() throws {
    let all = [("q", "x", true), ("k", "x", true), ("v", "x", true)]
    let text = Self.program(all).replacing("-> (y)", with: "-> (y, k)")
    #expect(try Self.lowered(text) == ["linear", "linear", "fused.attention"])
  }

  /// The concatenated weights hold the file's elements, decoded part by part.
  @Test func joinedWeightsDecodeInParts() throws {
    let (a, b) = (
      try StoredProductTests.ramp(.float32, [3, 4]), try StoredProductTests.ramp(.float16, [5, 4], step: 41)
    )
    let wide = Operation(
      "constexpr_cast", inputs: ["source_val": [.tensor(b)], "output_dtype": [.string("fp32")]],
      outputs: [NamedType("b", .tensor(TensorType(.float32, [5, 4])))])
    let call = Invocation(
      operation: wide, inputTypes: ["source_val": [.tensor(b.type)], "output_dtype": [Value.string("fp32").type]],
      values: ["source_val": [.tensor(b)], "output_dtype": [.string("fp32")]])
    let stored = try #require(StoredWeight(b))
    let half = try #require(StoredWeight.results(of: call, ["source_val": stored])?.first)
    let join = Operation(
      "constexpr_rows", inputs: ["first": [.name("a")], "second": [.name("b")], "third": [.name("a")]],
      outputs: [NamedType("w", .tensor(TensorType(.float32, [11, 4])))])
    let types: [String: [ValueType]] = [
      "first": [.tensor(a.type)], "second": [.tensor(half.type)], "third": [.tensor(a.type)],
    ]
    let plain = try #require(StoredWeight(a))
    let joining = Invocation(operation: join, inputTypes: types, values: types.mapValues { _ in [nil] })
    let joined = try #require(
      StoredWeight.results(of: joining, ["first": plain, "second": half, "third": plain])?.first)
    let whole = try a.doubles() + b.doubles() + a.doubles()
    #expect(try joined.dense().doubles() == whole)
    var part = [Float](repeating: 0, count: 25)
    part.withUnsafeMutableBufferPointer { joined.decode(10..<35, into: $0.baseAddress!) }
    #expect(part.map(Double.init) == Array(whole[10..<35]))
  }
}
