import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// The pass fuses attention as converters write it into one operation with the same result as its parts.
@Suite struct AttentionTests {
  /// The operations of the lowered function, after checking that the plain and the fused function give the same
  /// results.
  static func lowered(_ text: String, _ shapes: [String: [Int]], _ masks: [String: Tensor] = [:]) throws -> [Operation]
  {
    var inputs = masks
    for (number, (name, shape)) in shapes.sorted(by: { $0.key < $1.key }).enumerated() {
      let count = shape.reduce(1, *)
      let values = (0..<count).map { Double(($0 * (37 + 2 * number)) % 23) / 9 - 1.2 }
      inputs[name] = try Tensor(.float32, shape: shape, doubles: values)
    }
    return try FusionTests.lowered(text, inputs, within: 2e-5, allowsNaN: true)
  }

  static func types(_ text: String, _ shapes: [String: [Int]], _ masks: [String: Tensor] = [:]) throws -> [String] {
    try lowered(text, shapes, masks).map(\.type)
  }

  /// Splits [2, 5, 6] into two heads of three elements, as PyTorch exports do.
  static func heads(_ name: String, _ from: String, length: Int = 5) -> String {
    """
    tensor<fp32, [2, \(length), 2, 3]> \(name)_r = reshape(x = \(from), shape = tensor<int32, [4]>([-1, \(length), 2, 3]));
    tensor<fp32, [2, 2, \(length), 3]> \(name) = transpose(x = \(name)_r, perm = tensor<int32, [4]>([0, 2, -3, -1]));

    """
  }
  static let together = """
    tensor<fp32, [2, 5, 2, 3]> back = transpose(x = z, perm = tensor<int32, [4]>([0, 2, 1, 3]));
    tensor<fp32, [2, 5, 6]> y = reshape(x = back, shape = tensor<int32, [3]>([2, 5, 6]));
    """
  static let scores =
    "tensor<fp32, [2, 2, 5, 5]> s = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));\n"
  static let values =
    "tensor<fp32, [2, 2, 5, 3]> z = matmul(x = p, y = v, transpose_x = bool(false), transpose_y = bool(false));\n"
  static let softmax = "tensor<fp32, [2, 2, 5, 5]> p = softmax(x = w, axis = int32(-1));\n"
  static let inputs = "tensor<fp32, [2, 5, 6]> a, tensor<fp32, [2, 5, 6]> b, tensor<fp32, [2, 5, 6]> c"
  static let sizes = ["a": [2, 5, 6], "b": [2, 5, 6], "c": [2, 5, 6]]

  /// Every operation that may occur between the scores and the softmax.
  @Test(arguments: [
    "tensor<fp32, [2, 2, 5, 5]> w = mul(x = s, y = fp32(0.577));",
    "tensor<fp32, [2, 2, 5, 5]> w = real_div(x = s, y = fp32(1.732));",
    "tensor<fp32, [2, 2, 5, 5]> w = add(x = s, y = m);",
    "tensor<fp32, [2, 2, 5, 5]> h = mul(x = fp32(0.5), y = s); tensor<fp32, [2, 2, 5, 5]> w = add(x = m, y = h);",
    """
    tensor<fp32, [2, 2, 5, 5]> h = add(x = s, y = m); tensor<fp32, [2, 2, 5, 5]> w = add(x = h, y = rows);
    """,
    """
    tensor<fp32, [2, 2, 5, 5]> h = select(cond = causal, a = s, b = fp32(-inf)); tensor<fp32, [2, 2, 5, 5]> w = add(x = h, y = m);
    """,
    "tensor<fp32, [2, 2, 5, 5]> w = select(cond = causal, a = fp32(-3.4e38), b = s);",
    """
    tensor<fp32, [4, 5, 5]> f = reshape(x = s, shape = tensor<int32, [3]>([4, 5, 5]));
    tensor<fp32, [4, 5, 5]> g = add(x = f, y = rows); tensor<fp32, [2, 2, 5, 5]> h = reshape(x = g, shape = tensor<int32, [4]>([2, 2, 5, 5]));
    tensor<fp32, [2, 2, 5, 5]> w = add(x = h, y = m);
    """,
  ]) func scoresWithScalesAndMasks(_ between: String) throws {
    let text = """
      (\(Self.inputs), tensor<fp32, [2, 1, 1, 5]> m, tensor<fp32, [5, 5]> rows, tensor<bool, [1, 1, 5, 5]> causal) {
        \(Self.heads("q", "a"))\(Self.heads("k", "b"))\(Self.heads("v", "c"))
        \(Self.scores)\(between)
        \(Self.softmax)\(Self.values)\(Self.together)
      } -> (y)
      """
    let causal = try Tensor(.bool, shape: [1, 1, 5, 5], doubles: (0..<25).map { $0 % 5 <= $0 / 5 ? 1 : 0 })
    let m = try Tensor(.float32, shape: [2, 1, 1, 5], doubles: [0, 0, -1e4, 0, 0, 0, -1e4, 0, 0.5, -1e4])
    let found = try Self.types(
      text, Self.sizes.merging(["rows": [5, 5]]) { one, _ in one }, ["causal": causal, "m": m])
    #expect(found == ["fused.attention"])
  }

  @Test func aRowThatSeesNothingIsNoNumber() throws {
    let text = """
      (\(Self.inputs), tensor<fp32, [5, 5]> m) {
        \(Self.heads("q", "a"))\(Self.heads("k", "b"))\(Self.heads("v", "c"))
        \(Self.scores)tensor<fp32, [2, 2, 5, 5]> w = add(x = s, y = m);
        \(Self.softmax)\(Self.values)\(Self.together)
      } -> (y)
      """
    let m = try Tensor(
      .float32, shape: [5, 5], doubles: (0..<25).map { $0 < 5 ? -.infinity : $0 % 3 == 0 ? -.infinity : 0.25 })
    #expect(try Self.types(text, Self.sizes, ["m": m]) == ["fused.attention"])
  }

  /// Not fused: scores that are an output, that are scaled after their mask, or whose softmax runs along the queries.
  @Test(arguments: [
    ("tensor<fp32, [2, 2, 5, 5]> w = mul(x = s, y = fp32(0.5));", "(y, w)"),
    (
      "tensor<fp32, [2, 2, 5, 5]> h = add(x = s, y = m); tensor<fp32, [2, 2, 5, 5]> w = mul(x = h, y = fp32(0.5));",
      "(y)"
    ),
    ("tensor<fp32, [2, 2, 5, 5]> w = exp(x = s);", "(y)"),
    ("tensor<fp32, [2, 2, 5, 5]> w = mul(x = s, y = s);", "(y)"),
  ]) func whatIsNoAttention(_ between: String, _ outputs: String) throws {
    let text = """
      (\(Self.inputs), tensor<fp32, [2, 1, 1, 5]> m) {
        \(Self.heads("q", "a"))\(Self.heads("k", "b"))\(Self.heads("v", "c"))
        \(Self.scores)\(between)
        \(Self.softmax)\(Self.values)\(Self.together)
      } -> \(outputs)
      """
    let found = try Self.types(text, Self.sizes.merging(["m": [2, 1, 1, 5]]) { one, _ in one })
    #expect(found.filter { $0 == "matmul" }.count == 2 && found.contains("softmax"))
  }

  @Test func aSoftmaxAlongTheQueriesStays() throws {
    let text = """
      (\(Self.inputs)) {
        \(Self.heads("q", "a"))\(Self.heads("k", "b"))\(Self.heads("v", "c"))
        \(Self.scores)tensor<fp32, [2, 2, 5, 5]> p = softmax(x = s, axis = int32(-2));
        \(Self.values)\(Self.together)
      } -> (y)
      """
    #expect(try Self.types(text, Self.sizes).contains("softmax"))
  }

  /// The scale is applied to the queries before their transpose. The keys are transposed separately.
  @Test func scaledQueriesAndTransposedKeys() throws {
    let text = """
      (\(Self.inputs)) {
        tensor<fp32, [2, 5, 6]> aa = real_div(x = a, y = fp32(1.7));
        \(Self.heads("q", "aa"))\(Self.heads("k", "b"))\(Self.heads("v", "c"))
        tensor<fp32, [2, 2, 3, 5]> t = transpose(x = k, perm = tensor<int32, [4]>([0, 1, 3, 2]));
        tensor<fp32, [2, 2, 5, 5]> w = matmul(x = q, y = t);
        \(Self.softmax)\(Self.values)\(Self.together)
      } -> (y)
      """
    let found = try Self.lowered(text, Self.sizes)
    #expect(found.map(\.type) == ["fused.attention"])
    #expect(
      found[0].origins.sorted() == [
        "aa", "back", "k", "k_r", "p", "q", "q_r", "t", "v", "v_r", "w", "y", "z",
      ])
  }

  /// Heads merged with the batch axis and one projection for query, key and value, as PyTorch's `MultiheadAttention`
  /// writes it.
  @Test func mergedHeadsOfOneProjection() throws {
    func part(_ name: String, _ index: Int) -> String {
      """
      tensor<fp32, [5, 2, 6]> \(name)_s = slice_by_index(x = u, begin = tensor<int32, [4]>([\(index), 0, 0, 0]),
        end = tensor<int32, [4]>([\(index + 1), 5, 2, 6]), squeeze_mask = tensor<bool, [4]>([true, false, false, false]));
      tensor<fp32, [5, 4, 3]> \(name)_r = reshape(x = \(name)_s, shape = tensor<int32, [3]>([5, 4, 3]));
      tensor<fp32, [4, 5, 3]> \(name) = transpose(x = \(name)_r, perm = tensor<int32, [3]>([1, 0, 2]));

      """
    }
    let text = """
      (tensor<fp32, [5, 2, 18]> a) {
        tensor<fp32, [5, 2, 3, 6]> r = reshape(x = a, shape = tensor<int32, [4]>([5, 2, 3, 6]));
        tensor<fp32, [1, 5, 2, 3, 6]> e = expand_dims(x = r, axes = tensor<int32, [1]>([0]));
        tensor<fp32, [3, 5, 2, 1, 6]> t = transpose(x = e, perm = tensor<int32, [5]>([-2, 1, 2, 0, 4]));
        tensor<fp32, [3, 5, 2, 6]> u = squeeze(x = t, axes = tensor<int32, [1]>([-2]));
        \(part("q", 0))\(part("k", 1))\(part("v", 2))
        tensor<fp32, [4, 5, 3]> qs = mul(x = q, y = fp32(0.6));
        tensor<fp32, [4, 5, 5]> s = matmul(x = qs, y = k, transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp32, [4, 5, 5]> p = softmax(x = s, axis = int32(-1));
        tensor<fp32, [4, 5, 3]> z = matmul(x = p, y = v);
        tensor<fp32, [5, 4, 3]> b = transpose(x = z, perm = tensor<int32, [3]>([1, 0, 2]));
        tensor<fp32, [10, 6]> y = reshape(x = b, shape = tensor<int32, [2]>([10, 6]));
      } -> (y)
      """
    #expect(try Self.types(text, ["a": [5, 2, 18]]) == ["fused.attention"])
  }

  /// Grouped-query attention: the program repeats keys and values that groups of heads share.
  @Test func groupsOfHeads() throws {
    func repeated(_ name: String, _ from: String) -> String {
      """
      tensor<fp32, [1, 2, 1, 5, 3]> \(name)_e = expand_dims(x = \(from), axes = tensor<int32, [1]>([2]));
      tensor<fp32, [1, 2, 3, 5, 3]> \(name)_t = tile(x = \(name)_e, reps = tensor<int32, [5]>([1, 1, 3, 1, 1]));
      tensor<fp32, [1, 6, 5, 3]> \(name) = reshape(x = \(name)_t, shape = tensor<int32, [4]>([1, 6, 5, 3]));

      """
    }
    let text = """
      (tensor<fp32, [1, 6, 5, 3]> a, tensor<fp32, [1, 2, 5, 3]> b, tensor<fp32, [1, 2, 5, 3]> c) {
        \(repeated("k", "b"))\(repeated("v", "c"))
        tensor<fp32, [1, 6, 5, 3]> z = scaled_dot_product_attention(query = a, key = k, value = v);
        tensor<fp32, [1, 5, 6, 3]> y = transpose(x = z, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      } -> (y)
      """
    #expect(
      try Self.types(text, ["a": [1, 6, 5, 3], "b": [1, 2, 5, 3], "c": [1, 2, 5, 3]]) == ["fused.attention"])
  }

  /// A decoder step: the fused attention reads the key cache and the new key without concatenating them.
  @Test func aStepOfADecoder() throws {
    func joined(_ name: String, _ cache: String, _ new: String) -> String {
      """
      tensor<fp32, [1, 2, 7, 3]> \(name)_c = slice_by_index(x = \(cache), begin = tensor<int32, [5]>([1, 0, 0, 0, 0]),
        end = tensor<int32, [5]>([2, 1, 2, 7, 3]), squeeze_mask = tensor<bool, [5]>([true, false, false, false, false]));
      tensor<fp32, [1, 1, 2, 3]> \(name)_r = reshape(x = \(new), shape = tensor<int32, [4]>([1, 1, 2, 3]));
      tensor<fp32, [1, 2, 1, 3]> \(name)_n = transpose(x = \(name)_r, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      tensor<fp32, [1, 2, 8, 3]> \(name) = concat(values = (\(name)_c, \(name)_n), axis = int32(2), interleave = bool(false));

      """
    }
    let text = """
      (tensor<fp32, [1, 1, 18]> a, tensor<fp32, [2, 1, 2, 7, 3]> b, tensor<fp32, [2, 1, 2, 7, 3]> c) {
        tensor<fp32, [1, 1, 6]> q0, tensor<fp32, [1, 1, 6]> k0, tensor<fp32, [1, 1, 6]> v0 = split(x = a, axis = int32(2),
          split_sizes = tensor<int32, [3]>([6, 6, 6]));
        tensor<fp32, [1, 1, 2, 3]> qr = reshape(x = q0, shape = tensor<int32, [4]>([1, 1, 2, 3]));
        tensor<fp32, [1, 2, 1, 3]> q = transpose(x = qr, perm = tensor<int32, [4]>([0, 2, 1, 3]));
        \(joined("k", "b", "k0"))\(joined("v", "c", "v0"))
        tensor<fp32, [1, 2, 1, 8]> s = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp32, [1, 2, 1, 8]> p = softmax(x = s, axis = int32(3));
        tensor<fp32, [1, 2, 1, 3]> z = matmul(x = p, y = v);
        tensor<fp32, [1, 1, 6]> y = reshape(x = z, shape = tensor<int32, [3]>([1, 1, 6]));
      } -> (y)
      """
    let found = try Self.lowered(text, ["a": [1, 1, 18], "b": [2, 1, 2, 7, 3], "c": [2, 1, 2, 7, 3]])
    #expect(found.map(\.type) == ["fused.attention"])
    #expect(found[0].inputs["key"]?.count == 2)
  }

  /// An operation that one attention absorbs is not available to the next attention.
  @Test func oneAttentionAfterTheOther() throws {
    let text = """
      (tensor<fp32, [1, 4, 8, 16]> q, tensor<fp32, [1, 4, 5, 16]> k, tensor<fp32, [1, 4, 5, 16]> v, tensor<fp32, [1, 8, 5, 16]> k2,
        tensor<fp32, [1, 8, 5, 16]> v2, tensor<fp32, [1, 8, 5, 16]> k3) {
        tensor<fp32, [1, 4, 8, 16]> z = scaled_dot_product_attention(query = q, key = k, value = v);
        tensor<fp32, [1, 8, 4, 16]> t = transpose(x = z, perm = tensor<int32, [4]>([0, 2, 1, 3]));
        tensor<fp32, [1, 8, 4, 16]> w = scaled_dot_product_attention(query = t, key = k2, value = v2);
        tensor<fp32, [1, 8, 4, 16]> y = scaled_dot_product_attention(query = w, key = k3, value = v2);
      } -> (y)
      """
    let wide = [1, 8, 5, 16]
    let found = try Self.types(
      text,
      ["q": [1, 4, 8, 16], "k": [1, 4, 5, 16], "v": [1, 4, 5, 16], "k2": wide, "v2": wide, "k3": wide])
    #expect(found.filter { $0 == "fused.attention" }.count == 3)
  }

  /// The product broadcasts the values as its operands require, also where the scores have another rank.
  @Test func sharesOfAnotherRank() throws {
    let text = """
      (tensor<fp32, [2, 2, 1, 4, 3]> q, tensor<fp32, [2, 2, 1, 5, 3]> k, tensor<fp32, [2, 1, 5, 6]> v) {
        tensor<fp32, [2, 2, 1, 4, 5]> s = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp32, [2, 2, 1, 4, 5]> p = softmax(x = s, axis = int32(-1));
        tensor<fp32, [2, 2, 4, 5]> r = reshape(x = p, shape = tensor<int32, [4]>([2, 2, 4, 5]));
        tensor<fp32, [2, 2, 4, 6]> y = matmul(x = r, y = v, transpose_x = bool(false), transpose_y = bool(false));
      } -> (y)
      """
    let found = try Self.types(text, ["q": [2, 2, 1, 4, 3], "k": [2, 2, 1, 5, 3], "v": [2, 1, 5, 6]])
    #expect(found == ["fused.attention"])
  }

  /// A reshape that splits the result at no axis boundary is not absorbed.
  @Test func piecesOfNoAxis() throws {
    let text = """
      (tensor<fp32, [1, 2, 3, 4]> q, tensor<fp32, [1, 2, 5, 4]> k, tensor<fp32, [1, 2, 5, 4]> v) {
        tensor<fp32, [1, 2, 3, 4]> z = scaled_dot_product_attention(query = q, key = k, value = v);
        tensor<fp32, [4, 6]> r = reshape(x = z, shape = tensor<int32, [2]>([4, 6]));
        tensor<fp32, [6, 4]> t = transpose(x = r, perm = tensor<int32, [2]>([1, 0]));
        tensor<fp32, [3, 2, 4]> u = reshape(x = t, shape = tensor<int32, [3]>([3, 2, 4]));
        tensor<fp32, [4, 3, 2]> y = transpose(x = u, perm = tensor<int32, [3]>([2, 0, 1]));
      } -> (y)
      """
    let found = try Self.types(text, ["q": [1, 2, 3, 4], "k": [1, 2, 5, 4], "v": [1, 2, 5, 4]])
    #expect(found.first == "fused.attention")
  }

  /// The kernel reads fp16 caches, and caches rounded to fp16, without widening them.
  @Test(arguments: ["fp16", "fp32"]) func cachesOfHalvesAreNotWidened(_ stored: String) throws {
    func cache(_ name: String, _ input: String) -> String {
      let f16 = stored == "fp16" ? input : "\(name)_h"
      let rounding =
        stored == "fp16" ? "" : "tensor<fp16, [2, 2, 8, 3]> \(name)_h = cast(x = \(input), dtype = string(\"fp16\"));\n"
      return """
        \(rounding)tensor<fp16, [1, 2, 8, 3]> \(name) = slice_by_index(x = \(f16), begin = tensor<int32, [4]>([1, 0, 0, 0]),
          end = tensor<int32, [4]>([2, 2, 8, 3]));

        """
    }
    let text = """
      (tensor<fp16, [1, 2, 1, 3]> q, tensor<\(stored), [2, 2, 8, 3]> b, tensor<\(stored), [2, 2, 8, 3]> c) {
        \(cache("k", "b"))\(cache("v", "c"))
        tensor<fp16, [1, 2, 1, 8]> s = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp16, [1, 2, 1, 8]> p = softmax(x = s, axis = int32(3));
        tensor<fp16, [1, 2, 1, 3]> y = matmul(x = p, y = v);
      } -> (y)
      """
    let numbers = (0..<96).map { Double(($0 * 37) % 23) / 9 - 1.2 }
    let scalar: ScalarType = stored == "fp16" ? .float16 : .float32
    let found = try FusionTests.lowered(
      text,
      [
        "q": Tensor(.float16, shape: [1, 2, 1, 3], doubles: Array(numbers.prefix(6))),
        "b": Tensor(scalar, shape: [2, 2, 8, 3], doubles: numbers),
        "c": Tensor(scalar, shape: [2, 2, 8, 3], doubles: numbers.reversed()),
      ], within: 2e-3)
    let attention = try #require(found.first { $0.type == "fused.attention" })
    #expect(attention.inputs["key"]?.map(\.name) == ["b"] && attention.inputs["value"]?.map(\.name) == ["c"])
    #expect((attention.inputs["part_rounds"] != nil) == (stored == "fp32"))
    #expect(!found.contains { $0.type == "slice_by_index" })
  }

  /// The product of values and attention weights with channels first, as detectors write it.
  @Test func valuesBeforeShares() throws {
    let text = """
      (tensor<fp32, [1, 20, 7]> a) {
        tensor<fp32, [1, 2, 10, 7]> r = reshape(x = a, shape = tensor<int32, [4]>([1, 2, 10, 7]));
        tensor<fp32, [1, 2, 3, 7]> q, tensor<fp32, [1, 2, 3, 7]> k, tensor<fp32, [1, 2, 4, 7]> v = split(x = r, axis = int32(2),
          split_sizes = tensor<int32, [3]>([3, 3, 4]));
        tensor<fp32, [1, 2, 7, 7]> s = matmul(x = q, y = k, transpose_x = bool(true), transpose_y = bool(false));
        tensor<fp32, [1, 2, 7, 7]> w = mul(x = s, y = fp32(0.5));
        tensor<fp32, [1, 2, 7, 7]> p = softmax(x = w, axis = int32(-1));
        tensor<fp32, [1, 2, 4, 7]> z = matmul(x = v, y = p, transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp32, [1, 8, 7]> y = reshape(x = z, shape = tensor<int32, [3]>([1, 8, 7]));
      } -> (y)
      """
    #expect(try Self.types(text, ["a": [1, 20, 7]]) == ["fused.attention"])
  }

  /// The operation reads fp16 values as widened to fp32. The scale stays fp32.
  @Test func f16() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp16, [1, 4, 3]> q, tensor<fp16, [1, 4, 3]> k, tensor<fp16, [1, 4, 3]> v) {
        tensor<fp16, [1, 4, 4]> s = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));
        tensor<fp16, [1, 4, 4]> p = softmax(x = s, axis = int32(-1));
        tensor<fp16, [1, 4, 3]> y = matmul(x = p, y = v);
      } -> (y)
      """)
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(plan.steps.map(\.choice.operation.type) == ["cast", "cast", "cast", "fused.attention", "cast"])
  }

  /// The search for a softmax is not recursive, so a chain of any length does not overflow the stack.
  @Test func aLongWayIsNotFollowed() throws {
    var (text, last) = ("", "s")
    for number in 0..<20_000 {
      text += "tensor<fp32, [1, 4, 4]> n\(number) = add(x = \(last), y = m);\n"
      last = "n\(number)"
    }
    let function = try FusionTests.main(
      """
      (tensor<fp32, [1, 4, 3]> a, tensor<fp32, [4, 4]> m) {
        tensor<fp32, [1, 4, 3]> b = mul(x = a, y = fp32(2));
        tensor<fp32, [1, 4, 4]> s = matmul(x = a, y = b, transpose_x = bool(false), transpose_y = bool(true));
        \(text)
        tensor<fp32, [1, 4, 4]> p = softmax(x = \(last), axis = int32(-1));
        tensor<fp32, [1, 4, 3]> y = matmul(x = p, y = a);
      } -> (y)
      """)
    #expect(RecogniseAttention()(function).body.operations.count == function.body.operations.count)
  }
}
