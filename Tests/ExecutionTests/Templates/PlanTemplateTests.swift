import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Plans for new shapes come from templates, and compute what plans from the start compute. Debug builds compare the
/// plans themselves, wherever a template gives one.
@Suite struct PlanTemplateTests {
  private static let weights = """
      tensor<fp32, [256]> r = range_1d(start = fp32(0), end = fp32(256), step = fp32(1));
      tensor<fp32, [256]> s = sin(x = r);
      tensor<fp32, [256]> t = mul(x = s, y = fp32(0.25));
      tensor<fp32, [16, 16]> w = reshape(x = t, shape = tensor<int32, [2]>([16, 16]));
    """

  /// Self-attention with two heads over any number of rows.
  private static let encoder = """
    (tensor<fp32, [1, ?, 16]> x) {
    \(weights)
      tensor<fp32, [1, ?, 16]> q0 = linear(x = x, weight = w);
      tensor<fp32, [1, ?, 16]> k0 = linear(x = x, weight = w);
      tensor<fp32, [1, ?, 16]> v0 = linear(x = x, weight = w);
      tensor<fp32, [1, ?, 2, 8]> q1 = reshape(x = q0, shape = tensor<int32, [4]>([1, -1, 2, 8]));
      tensor<fp32, [1, ?, 2, 8]> k1 = reshape(x = k0, shape = tensor<int32, [4]>([1, -1, 2, 8]));
      tensor<fp32, [1, ?, 2, 8]> v1 = reshape(x = v0, shape = tensor<int32, [4]>([1, -1, 2, 8]));
      tensor<fp32, [1, 2, ?, 8]> q = transpose(x = q1, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      tensor<fp32, [1, 2, ?, 8]> k = transpose(x = k1, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      tensor<fp32, [1, 2, ?, 8]> v = transpose(x = v1, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      tensor<fp32, [1, 2, ?, ?]> m = matmul(x = q, y = k, transpose_x = bool(false), transpose_y = bool(true));
      tensor<fp32, [1, 2, ?, ?]> n = mul(x = m, y = fp32(0.35355338));
      tensor<fp32, [1, 2, ?, ?]> p = softmax(x = n, axis = int32(-1));
      tensor<fp32, [1, 2, ?, 8]> a = matmul(x = p, y = v, transpose_x = bool(false), transpose_y = bool(false));
      tensor<fp32, [1, ?, 2, 8]> b = transpose(x = a, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      tensor<fp32, [1, ?, 16]> c = reshape(x = b, shape = tensor<int32, [3]>([1, -1, 16]));
      tensor<fp32, [1, ?, 16]> d = linear(x = c, weight = w);
      tensor<fp32, [1, ?, 16]> e = add(x = d, y = x);
      tensor<fp32, [1, ?, 16]> f = layer_norm(x = e, axes = tensor<int32, [1]>([-1]), epsilon = fp32(0.00001));
      tensor<fp32, [1, ?, 16]> g = gelu(x = f, mode = string("EXACT"));
      tensor<fp32, [1, ?, 16]> y = add(x = g, y = e);
    } -> (y)
    """

  /// Convolutions with strides over pictures of any size.
  private static let convolutions = """
    (tensor<fp32, [1, 16, ?, ?]> x) {
    \(weights)
      tensor<fp32, [16, 16, 1, 1]> w1 = reshape(x = t, shape = tensor<int32, [4]>([16, 16, 1, 1]));
      tensor<fp32, [16]> one = slice_by_size(
        x = t, begin = tensor<int32, [1]>([3]), size = tensor<int32, [1]>([16]));
      tensor<fp32, [16, 1, 3, 3]> w3 = fill(shape = tensor<int32, [4]>([16, 1, 3, 3]), value = fp32(0.3));
      tensor<fp32, [1, 16, ?, ?]> a = conv(
        x = x, weight = w1, strides = tensor<int32, [2]>([1, 1]), pad_type = string("valid"),
        pad = tensor<int32, [4]>([0, 0, 0, 0]), dilations = tensor<int32, [2]>([1, 1]), groups = int32(1));
      tensor<fp32, [1, 16, ?, ?]> b = batch_norm(x = a, mean = one, variance = tensor<fp32, [16]>([
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), gamma = one, beta = one, epsilon = fp32(0.001));
      tensor<fp32, [1, 16, ?, ?]> c = relu(x = b);
      tensor<fp32, [1, 16, ?, ?]> d = conv(
        x = c, weight = w3, strides = tensor<int32, [2]>([2, 2]), pad_type = string("same"),
        pad = tensor<int32, [4]>([0, 0, 0, 0]), dilations = tensor<int32, [2]>([1, 1]), groups = int32(16));
      tensor<fp32, [1, 16, ?, ?]> e = sigmoid(x = d);
      tensor<fp32, [1, 16, ?, ?]> f = mul(x = d, y = e);
      tensor<fp32, [1, 16, 1, 1]> g = reduce_mean(
        x = f, axes = tensor<int32, [2]>([2, 3]), keep_dims = bool(true));
      tensor<fp32, [1, 16, ?, ?]> y = mul(x = f, y = g);
    } -> (y)
    """

  /// A decoder's step: slices of tables and of a cache, whose ends are the sizes of a mask.
  private static let decoder = """
    (tensor<fp16, [1, ?, 16]> x, tensor<fp16, [1, 1, ?, ?]> mask, state<tensor<fp16, [1, 2, 64, 8]>> cache) {
      tensor<fp16, [1024]> r = range_1d(start = fp16(0), end = fp16(1024), step = fp16(1));
      tensor<fp16, [1024]> t = sin(x = r);
      tensor<fp16, [64, 16]> table = reshape(x = t, shape = tensor<int32, [2]>([64, 16]));
      tensor<int32, [3]> sx = shape(x = x);
      tensor<int32, [4]> sm = shape(x = mask);
      tensor<int32, []> count = slice_by_index(
        x = sx, begin = tensor<int32, [1]>([1]), end = tensor<int32, [1]>([2]),
        squeeze_mask = tensor<bool, [1]>([true]));
      tensor<int32, []> end = slice_by_index(
        x = sm, begin = tensor<int32, [1]>([3]), end = tensor<int32, [1]>([4]),
        squeeze_mask = tensor<bool, [1]>([true]));
      tensor<int32, []> begin = sub(x = end, y = count);
      tensor<int32, [2]> from = concat(values = (begin, int32(0)), axis = int32(0), interleave = bool(false));
      tensor<int32, [2]> to = concat(values = (end, int32(16)), axis = int32(0), interleave = bool(false));
      tensor<fp16, [?, 16]> turn = slice_by_index(x = table, begin = from, end = to);
      tensor<fp16, [1, ?, 16]> z = mul(x = x, y = turn);
      tensor<fp16, [1, ?, 2, 8]> z1 = reshape(x = z, shape = tensor<int32, [4]>([1, -1, 2, 8]));
      tensor<fp16, [1, 2, ?, 8]> z2 = transpose(x = z1, perm = tensor<int32, [4]>([0, 2, 1, 3]));
      tensor<int32, [4]> first = concat(
        values = (int32(0), int32(0), begin, int32(0)), axis = int32(0), interleave = bool(false));
      tensor<int32, [4]> last = concat(
        values = (int32(1), int32(2), end, int32(8)), axis = int32(0), interleave = bool(false));
      tensor<fp16, [1, 2, 64, 8]> old = read_state(input = cache);
      tensor<fp16, [1, 2, 64, 8]> new = slice_update(x = old, update = z2, begin = first, end = last);
      write_state(input = cache, data = new);
      tensor<fp16, [1, 2, 64, 8]> kept = read_state(input = cache);
      tensor<fp16, [1, 2, ?, 8]> keys = slice_by_index(
        x = kept, begin = tensor<int32, [4]>([0, 0, 0, 0]), end = last);
      tensor<fp16, [1, 2, ?, ?]> m = matmul(x = z2, y = keys, transpose_x = bool(false), transpose_y = bool(true));
      tensor<fp16, [1, 2, ?, ?]> n = mul(x = m, y = fp16(0.35));
      tensor<fp16, [1, 2, ?, ?]> o = add(x = n, y = mask);
      tensor<fp16, [1, 2, ?, ?]> p = softmax(x = o, axis = int32(-1));
      tensor<fp16, [1, 2, ?, 8]> y = matmul(x = p, y = keys, transpose_x = bool(false), transpose_y = bool(false));
    } -> (y)
    """

  /// Layers of a decoder with caches of their own, which differ in nothing else.
  private static func layers(_ count: Int) -> String {
    let states = (0..<count).map { ", state<tensor<fp16, [1, 2, 64, 8]>> cache\($0)" }.joined()
    var text = """
      (tensor<fp16, [1, ?, 16]> x0, tensor<fp16, [1, 1, ?, ?]> mask\(states)) {
        tensor<int32, [3]> sx = shape(x = x0);
        tensor<int32, [4]> sm = shape(x = mask);
        tensor<int32, []> count = slice_by_index(
          x = sx, begin = tensor<int32, [1]>([1]), end = tensor<int32, [1]>([2]),
          squeeze_mask = tensor<bool, [1]>([true]));
        tensor<int32, []> end = slice_by_index(
          x = sm, begin = tensor<int32, [1]>([3]), end = tensor<int32, [1]>([4]),
          squeeze_mask = tensor<bool, [1]>([true]));
        tensor<int32, []> begin = sub(x = end, y = count);

      """
    for i in 0..<count {
      text += """
          tensor<fp16, [1, ?, 2, 8]> a\(i) = reshape(x = x\(i), shape = tensor<int32, [4]>([1, -1, 2, 8]));
          tensor<fp16, [1, 2, ?, 8]> q\(i) = transpose(x = a\(i), perm = tensor<int32, [4]>([0, 2, 1, 3]));
          tensor<int32, [4]> first\(i) = concat(
            values = (int32(0), int32(0), begin, int32(0)), axis = int32(0), interleave = bool(false));
          tensor<int32, [4]> last\(i) = concat(
            values = (int32(1), int32(2), end, int32(8)), axis = int32(0), interleave = bool(false));
          tensor<fp16, [1, 2, 64, 8]> old\(i) = read_state(input = cache\(i));
          tensor<fp16, [1, 2, 64, 8]> new\(i) = slice_update(
            x = old\(i), update = q\(i), begin = first\(i), end = last\(i));
          write_state(input = cache\(i), data = new\(i));
          tensor<fp16, [1, 2, 64, 8]> kept\(i) = read_state(input = cache\(i));
          tensor<fp16, [1, 2, ?, 8]> k\(i) = slice_by_index(
            x = kept\(i), begin = tensor<int32, [4]>([0, 0, 0, 0]), end = last\(i));
          tensor<fp16, [1, 2, ?, ?]> m\(i) = matmul(
            x = q\(i), y = k\(i), transpose_x = bool(false), transpose_y = bool(true));
          tensor<fp16, [1, 2, ?, ?]> n\(i) = mul(x = m\(i), y = fp16(0.35));
          tensor<fp16, [1, 2, ?, ?]> o\(i) = add(x = n\(i), y = mask);
          tensor<fp16, [1, 2, ?, ?]> p\(i) = softmax(x = o\(i), axis = int32(-1));
          tensor<fp16, [1, 2, ?, 8]> r\(i) = matmul(
            x = p\(i), y = k\(i), transpose_x = bool(false), transpose_y = bool(false));
          tensor<fp16, [1, ?, 2, 8]> s\(i) = transpose(x = r\(i), perm = tensor<int32, [4]>([0, 2, 1, 3]));
          tensor<fp16, [1, ?, 16]> t\(i) = reshape(x = s\(i), shape = tensor<int32, [3]>([1, -1, 16]));
          tensor<fp16, [1, ?, 16]> x\(i + 1) = add(x = t\(i), y = x\(i));

        """
    }
    return text + "} -> (x\(count))"
  }

  private func numbers(_ scalar: ScalarType, _ shape: [Int]) throws -> Tensor {
    try Tensor(scalar, shape: shape, doubles: (0..<shape.reduce(1, *)).map { Double($0 * 37 % 23) / 32 - 0.3 })
  }

  /// Runs a walk of shapes through one engine, and each through an engine of its own.
  private func walk(_ text: String, _ shapes: [[String: [Int]]], _ scalar: ScalarType = .float32) throws -> Engine {
    let engine = try EngineTests.engine(text)
    for shape in shapes {
      let inputs = try shape.mapValues { try numbers(scalar, $0) }
      let fresh = try EngineTests.engine(text)
      #expect(try EngineTests.run(engine, inputs) == EngineTests.run(fresh, inputs), "\(shape)")
    }
    return engine
  }

  @Test func textsOfAnyLengthShareTemplates() throws {
    let lengths = [7, 1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 64, 100, 9, 8, 21, 40, 50, 60, 1, 90]
    let engine = try walk(Self.encoder, lengths.map { ["x": [1, $0, 16]] })
    #expect(engine.templates.counts.instances >= lengths.count / 2, "\(engine.templates.counts)")
  }

  @Test func picturesOfAnySizeShareTemplates() throws {
    let sizes = [(8, 8), (5, 9), (16, 16), (7, 33), (1, 1), (31, 64), (12, 12), (20, 11), (64, 3), (2, 2), (40, 40)]
    let engine = try walk(Self.convolutions, sizes.map { ["x": [1, 16, $0.0, $0.1]] })
    #expect(engine.templates.counts.instances >= sizes.count / 3, "\(engine.templates.counts)")
  }

  @Test func aGrowingCacheHasOneTemplate() throws {
    let prompt = [["x": [1, 9, 16], "mask": [1, 1, 9, 9]]]
    let tokens = (10...40).map { ["x": [1, 1, 16], "mask": [1, 1, 1, $0]] }
    let engine = try walk(Self.decoder, prompt + tokens, .float16)
    #expect(engine.templates.counts.misses <= 2, "\(engine.templates.counts)")
    #expect(engine.templates.counts.instances >= tokens.count - 2, "\(engine.templates.counts)")
  }

  @Test func layersThatRepeatHaveOneTemplate() throws {
    let prompt = [["x0": [1, 5, 16], "mask": [1, 1, 5, 5]]]
    let tokens = (6...40).map { ["x0": [1, 1, 16], "mask": [1, 1, 1, $0]] }
    let engine = try walk(Self.layers(4), prompt + tokens + tokens.reversed(), .float16)
    #expect(engine.templates.counts.misses <= 2, "\(engine.templates.counts)")
    #expect(engine.templates.counts.instances >= tokens.count, "\(engine.templates.counts)")
  }

  @Test func oneShapeHasNoTemplate() throws {
    let engine = try walk(Self.encoder, [["x": [1, 5, 16]], ["x": [1, 5, 16]]])
    #expect(engine.templates.counts == (0, 0))
  }

  @Test func aShapeThatIsWrongHasTheSentenceOfPlanning() throws {
    let engine = try walk(Self.decoder, (10...14).map { ["x": [1, 1, 16], "mask": [1, 1, 1, $0]] }, .float16)
    let wrong = try ["x": numbers(.float16, [1, 1, 16]), "mask": numbers(.float16, [1, 1, 1, 65])]
    func sentence(_ engine: Engine) -> String {
      do {
        _ = try EngineTests.run(engine, wrong)
        return "no error"
      } catch { return "\(error)" }
    }
    #expect(try sentence(engine) == sentence(EngineTests.engine(Self.decoder)))
  }
}
