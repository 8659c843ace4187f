import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution
@testable import CoreMLImport

/// Loops that are recurrent layers run as that operation and give the result of the loop. Other loops stay loops.
@Suite struct RecurrentLoopTests {
  // MARK: models of coremltools

  static let models = [
    "graph-gru-flexible", "graph-lstm-both-ways", "graph-lstm-peepholes", "graph-rnn-flexible", "keras-gru",
    "keras-gru-backwards", "keras-gru-both-ways", "keras-lstm", "keras-lstm-both-ways",
    "keras-lstm-flexible", "keras-lstm-half", "keras-lstm-hard-sigmoid", "keras-rnn", "torch-gru",
    "torch-gru-both-ways-with-states", "torch-gru-flexible", "torch-gru-flexible-half", "torch-gru-half",
    "torch-gru-one-step",
  ]

  @Test(arguments: models) func modelsOfCoremltools(_ name: String) throws {
    let url = Checkout.cases.appending(path: "models/recurrent/\(name).mlpackage")
    let model = try ModelCompiler.optimised(ModelCompiler.source(url))
    let function = try #require(model.program.functions["main"])
    for steps in name.contains("flexible") ? [1, 2, 7] : [1] {
      var inputs: [String: Tensor] = [:]
      for input in function.inputs {
        let type = try #require(input.type.tensor)
        // Only the sequence length is unknown.
        inputs[input.name] = try Self.random(type.scalar, type.shape.map { $0.value ?? steps }, seed: input.name.count)
      }
      // The loop rounds to fp16 in every round, and the layer does not.
      try Self.compare(function, inputs, tolerance: name.contains("half") ? 2e-3 : 2e-6)
    }
  }

  // MARK: spellings of a GRU

  /// Bodies of a loop over `x` with the state `h`, and whether each is a GRU.
  static let bodies: [(name: String, body: String)] = [
    (
      "gates apart",
      """
      \(gate("r", 0)) \(gate("z", 1))
      tensor<fp32, [2, 4]> nx = linear(x = xt, weight = \(matrix(4, 3, 2)), bias = \(vector(4, 2)));
      tensor<fp32, [2, 4]> nh = linear(x = h, weight = \(matrix(4, 4, 3)), bias = \(vector(4, 3)));
      tensor<fp32, [2, 4]> rn = mul(x = nh, y = r);
      tensor<fp32, [2, 4]> np = add(x = rn, y = nx);
      tensor<fp32, [2, 4]> n = tanh(x = np);
      \(mean)
      """
    ),
    (
      "reset before the product",
      """
      \(gate("z", 0)) \(gate("r", 1))
      tensor<fp32, [2, 4]> rst = mul(x = r, y = h);
      tensor<fp32, [2, 4]> nx = matmul(x = xt, y = \(matrix(3, 4, 2)));
      tensor<fp32, [2, 4]> nh = matmul(x = rst, y = \(matrix(4, 4, 3)), transpose_y = bool(true));
      tensor<fp32, [2, 4]> np = add(x = nh, y = nx);
      tensor<fp32, [2, 4]> nb = add(x = \(vector(4, 5)), y = np);
      tensor<fp32, [2, 4]> n = tanh(x = nb);
      \(mean)
      """
    ),
    (
      "the mean as a step",
      """
      \(gate("r", 0)) \(gate("z", 1)) \(candidate)
      tensor<fp32, [2, 4]> d = sub(x = h, y = n);
      tensor<fp32, [2, 4]> s = mul(x = d, y = z);
      tensor<fp32, [2, 4]> hn = add(x = s, y = n);
      """
    ),
    (
      "the complement of the update gate",
      """
      \(gate("r", 0)) \(gate("z", 1)) \(candidate)
      tensor<fp32, [2, 4]> i = sub(x = fp32(1), y = z);
      tensor<fp32, [2, 4]> a = mul(x = i, y = h);
      tensor<fp32, [2, 4]> b = mul(x = n, y = z);
      tensor<fp32, [2, 4]> hn = add(x = b, y = a);
      """
    ),
    (
      "one product for both gates and both operands",
      """
      tensor<fp32, [2, 7]> xh = concat(values = (xt, h), axis = int32(-1), interleave = bool(false));
      tensor<fp32, [2, 8]> both = linear(x = xh, weight = \(matrix(8, 7, 0)), bias = \(vector(8, 1)));
      tensor<fp32, [2, 8]> gates = sigmoid(x = both);
      tensor<fp32, [2, 4]> r, tensor<fp32, [2, 4]> z = split(x = gates, num_splits = int32(2), axis = int32(1));
      tensor<fp32, [2, 4]> rst = mul(x = r, y = h);
      tensor<fp32, [2, 7]> xrh = concat(values = (xt, rst), axis = int32(1), interleave = bool(false));
      tensor<fp32, [2, 4]> np = linear(x = xrh, weight = \(matrix(4, 7, 2)));
      tensor<fp32, [2, 4]> n = relu(x = np);
      \(mean)
      """
    ),
    (
      "slices of one product",
      """
      tensor<fp32, [2, 12]> px = linear(x = xt, weight = \(matrix(12, 3, 0)), bias = \(vector(12, 1)));
      tensor<fp32, [2, 12]> ph = linear(x = h, weight = \(matrix(12, 4, 1)), bias = \(vector(12, 2)));
      \(slice("xr", "px", 0)) \(slice("xz", "px", 4)) \(slice("xn", "px", 8))
      \(slice("hr", "ph", 0)) \(slice("hz", "ph", 4)) \(slice("hc", "ph", 8))
      tensor<fp32, [2, 4]> rp = add(x = hr, y = xr);
      tensor<fp32, [2, 4]> r = sigmoid_hard(x = rp, alpha = fp32(0.25), beta = fp32(0.4));
      tensor<fp32, [2, 4]> zp = add(x = xz, y = hz);
      tensor<fp32, [2, 4]> z = sigmoid_hard(x = zp, alpha = fp32(0.25), beta = fp32(0.4));
      tensor<fp32, [2, 4]> rn = mul(x = r, y = hc);
      tensor<fp32, [2, 4]> np = add(x = xn, y = rn);
      tensor<fp32, [2, 4]> n = tanh(x = np);
      \(mean)
      """
    ),
    (
      "a plain layer",
      """
      tensor<fp32, [2, 4]> px = linear(x = xt, weight = \(matrix(4, 3, 0)), bias = \(vector(4, 1)));
      tensor<fp32, [2, 4]> ph = matmul(x = h, y = \(matrix(4, 4, 1)));
      tensor<fp32, [2, 4]> p = sub(x = px, y = ph);
      tensor<fp32, [2, 4]> q = mul(x = p, y = fp32(0.5));
      tensor<fp32, [2, 4]> hn = tanh(x = q);
      """
    ),
  ]

  @Test(arguments: bodies.indices) func spellings(_ number: Int) throws {
    let function = try Self.function(Self.program(body: Self.bodies[number].body))
    try Self.compare(function, Self.inputs, tolerance: 2e-6, Comment(rawValue: Self.bodies[number].name))
  }

  /// Cells that are nearly one of those, but that no operation computes.
  static let others: [(name: String, body: String)] = [
    (
      "gates of two activations",
      """
      \(gate("r", 0)) \(gate("zs", 1)) tensor<fp32, [2, 4]> z = tanh(x = zs); \(candidate) \(mean)
      """
    ),
    (
      "a state that is scaled",
      """
      \(gate("r", 0)) \(gate("z", 1)) \(candidate)
      tensor<fp32, [2, 4]> i = sub(x = fp32(0.5), y = z);
      tensor<fp32, [2, 4]> a = mul(x = i, y = n);
      tensor<fp32, [2, 4]> b = mul(x = h, y = z);
      tensor<fp32, [2, 4]> hn = add(x = b, y = a);
      """
    ),
    (
      "another activation",
      "tensor<fp32, [2, 4]> p = linear(x = xt, weight = \(matrix(4, 3, 0))); tensor<fp32, [2, 4]> hn = softplus(x = p);"
    ),
    (
      "a gate of the state's square",
      """
      \(gate("r", 0)) \(candidate)
      tensor<fp32, [2, 4]> hh = mul(x = h, y = h);
      tensor<fp32, [2, 4]> z = sigmoid(x = hh);
      \(mean)
      """
    ),
    (
      "a product of the candidate",
      """
      \(gate("r", 0)) \(gate("z", 1)) \(candidate)
      tensor<fp32, [2, 4]> i = sub(x = fp32(1), y = z);
      tensor<fp32, [2, 4]> a = mul(x = i, y = n);
      tensor<fp32, [2, 4]> b = mul(x = h, y = r);
      tensor<fp32, [2, 4]> hn = add(x = b, y = a);
      """
    ),
    (
      "columns changed about",
      """
      tensor<fp32, [2, 2]> u, tensor<fp32, [2, 2]> v = split(x = h, num_splits = int32(2), axis = int32(1));
      tensor<fp32, [2, 4]> w = concat(values = (v, u), axis = int32(1), interleave = bool(false));
      tensor<fp32, [2, 4]> p = linear(x = w, weight = \(matrix(4, 4, 0)));
      tensor<fp32, [2, 4]> q = linear(x = xt, weight = \(matrix(4, 3, 1)));
      tensor<fp32, [2, 4]> s = add(x = p, y = q);
      tensor<fp32, [2, 4]> hn = tanh(x = s);
      """
    ),
    (
      "a bias of each row",
      """
      tensor<fp32, [2, 4]> p = linear(x = xt, weight = \(matrix(4, 3, 0)));
      tensor<fp32, [2, 4]> s = add(x = p, y = \(matrix(2, 4, 1)));
      tensor<fp32, [2, 4]> q = linear(x = h, weight = \(matrix(4, 4, 2)));
      tensor<fp32, [2, 4]> t = add(x = s, y = q);
      tensor<fp32, [2, 4]> hn = tanh(x = t);
      """
    ),
    (
      "rounding in the cell",
      """
      tensor<fp32, [2, 4]> p = linear(x = xt, weight = \(matrix(4, 3, 0)));
      tensor<fp16, [2, 4]> f = cast(x = p, dtype = string("fp16"));
      tensor<fp32, [2, 4]> s = cast(x = f, dtype = string("fp32"));
      tensor<fp32, [2, 4]> hn = tanh(x = s);
      """
    ),
  ]

  @Test(arguments: others.indices) func otherCellsStayLoops(_ number: Int) throws {
    let function = try Self.function(Self.program(body: Self.others[number].body))
    try Self.compare(
      function, Self.inputs, tolerance: 0, isRecognised: false, Comment(rawValue: Self.others[number].name))
  }

  // MARK: loops

  struct Variant: Sendable {
    var name: String
    var start = "tensor<int32, [1]>([0])"
    var bound = "int32(5)"
    var step = "int32(1)"
    var read = "k"
    var written = "j"
    var tail = "fp32(0)"
    var rows = 5
    var mode = "add"
    var isRecognised = false
  }

  static let variants = [
    Variant(name: "as it should be", isRecognised: true),
    Variant(name: "a shorter loop than the sequence", bound: "int32(3)", rows: 3, isRecognised: true),
    Variant(name: "written in place of what is there", tail: "fp32(7)", mode: "update", isRecognised: true),
    Variant(name: "added to what is there", tail: "fp32(0.25)"),
    Variant(name: "from one", start: "tensor<int32, [1]>([1])"),
    Variant(name: "by two", bound: "int32(4)", step: "int32(2)"),
    Variant(name: "more rows than rounds", bound: "int32(4)"),
    Variant(name: "written where it is read", written: "k"),
    Variant(name: "no round", bound: "int32(0)", rows: 0),
  ]

  @Test(arguments: variants) func loops(_ variant: Variant) throws {
    let rows = variant.rows
    let program = """
      (tensor<fp32, [5, 2, 3]> x, tensor<fp32, [1, 2, 4]> h0) {
        tensor<fp32, [\(rows), 2, 4]> tail = fill(shape = tensor<int32, [3]>([\(rows), 2, 4]), value = \(variant.tail));
        tensor<fp32, [\(rows + 1), 2, 4]> begin = concat(values = (h0, tail), axis = int32(0), interleave = bool(false));
        tensor<int32, [1]> last, tensor<fp32, [\(rows + 1), 2, 4]> all = while_loop(loop_vars = (\(variant.start), begin))
          block(tensor<int32, [1]> k, tensor<fp32, [\(rows + 1), 2, 4]> v) {
            tensor<bool, [1]> more = less(x = k, y = \(variant.bound));
          } -> (more)
          block(tensor<int32, [1]> k, tensor<fp32, [\(rows + 1), 2, 4]> v) {
            tensor<fp32, [1, 2, 3]> xr = gather(x = x, indices = \(variant.read), axis = int32(0));
            tensor<fp32, [1, 2, 4]> hr = gather(x = v, indices = k, axis = int32(0));
            tensor<fp32, [2, 3]> xt = squeeze(x = xr, axes = tensor<int32, [1]>([0]));
            tensor<fp32, [2, 4]> h = squeeze(x = hr, axes = tensor<int32, [1]>([0]));
            \(Self.bodies[0].body)
            tensor<fp32, [1, 2, 4]> row = expand_dims(x = hn, axes = tensor<int32, [1]>([0]));
            tensor<int32, [1]> j = add(x = k, y = \(variant.step));
            tensor<fp32, [\(rows + 1), 2, 4]> w = scatter(data = v, indices = \(variant.written), updates = row,
              axis = int32(0), mode = string("\(variant.mode)"));
          } -> (j, w);
        tensor<fp32, [2, 4]> first = slice_by_index(x = all, begin = tensor<int32, [3]>([0, 0, 0]),
          end = tensor<int32, [3]>([1, 2, 4]), squeeze_mask = tensor<bool, [3]>([true, false, false]));
      } -> (all, last, first)
      """
    let inputs = [
      "x": try Self.random(.float32, [5, 2, 3], seed: 1), "h0": try Self.random(.float32, [1, 2, 4], seed: 2),
    ]
    try Self.compare(
      Self.function(program), inputs, tolerance: 2e-6, isRecognised: variant.isRecognised,
      Comment(rawValue: variant.name))
  }

  /// `x[i]` and `x[i:i + 1]` as coremltools writes them for TensorFlow. The bounds of the other axes are left out.
  @Test(arguments: [true, false]) func aSequenceIsReadBySlices(isSqueezed: Bool) throws {
    let xt =
      isSqueezed
      ? "tensor<fp32, [2, 3]> xt = slice_by_index(x = x, begin = from, end = to, stride = by, begin_mask = rest, end_mask = rest, squeeze_mask = first);"
      : """
      tensor<fp32, [1, 2, 3]> xr = slice_by_index(x = x, begin = from, end = to, stride = by, begin_mask = rest, end_mask = rest);
      tensor<fp32, [2, 3]> xt = squeeze(x = xr, axes = tensor<int32, [1]>([0]));
      """
    let text = Self.program(body: Self.bodies[0].body).replacingOccurrences(
      of: "tensor<fp32, [2, 3]> xt = gather(x = x, indices = k, axis = int32(0));",
      with: """
        tensor<int32, [1]> from = mul(x = tensor<int32, [1]>([1]), y = k);
        int32 k1 = add(x = k, y = int32(1));
        tensor<int32, [1]> to = mul(x = tensor<int32, [1]>([1]), y = k1);
        tensor<int32, [3]> by = const()[val = tensor<int32, [3]>([1, 1, 1])];
        tensor<bool, [3]> rest = const()[val = tensor<bool, [3]>([false, true, true])];
        tensor<bool, [3]> first = const()[val = tensor<bool, [3]>([true, false, false])];
        \(xt)
        """)
    try Self.compare(Self.function(text), Self.inputs, tolerance: 2e-6)
  }

  /// Peepholes, a clipped cell state, and a list that is read both element by element and as a whole.
  @Test(arguments: [false, true]) func anLSTMWithPeepholes(isLimited: Bool) throws {
    let limit = isLimited ? "clip(x = cs, alpha = fp32(-0.3), beta = fp32(0.3))" : "identity(x = cs)"
    let program = """
      (tensor<fp32, [5, 2, 3]> x, tensor<fp32, [2, 4]> h0, tensor<fp32, [2, 4]> c0) {
        list<tensor<fp32, [2, 4]>, 5> begin = make_list(init_length = int32(5), elem_shape = (int32(2), int32(4)),
          dynamic_length = bool(false), dtype = string("fp32"));
        int32 last, tensor<fp32, [2, 4]> ce, list<tensor<fp32, [2, 4]>, ?> hs, tensor<fp32, [2, 4]> he =
          while_loop(loop_vars = (int32(0), c0, begin, h0))
          block(int32 k, tensor<fp32, [2, 4]> c, list<tensor<fp32, [2, 4]>, ?> l, tensor<fp32, [2, 4]> h) {
            bool more = greater(x = int32(5), y = k);
          } -> (more)
          block(int32 k, tensor<fp32, [2, 4]> c, list<tensor<fp32, [2, 4]>, ?> l, tensor<fp32, [2, 4]> h) {
            tensor<fp32, [2, 3]> xt = gather(x = x, indices = k, axis = int32(0));
            tensor<fp32, [2, 7]> xh = concat(values = (xt, h), axis = int32(1), interleave = bool(false));
            tensor<fp32, [2, 16]> p = linear(x = xh, weight = \(Self.matrix(16, 7, 0)), bias = \(Self.vector(16, 1)));
            tensor<fp32, [2, 4]> i, tensor<fp32, [2, 4]> z, tensor<fp32, [2, 4]> f, tensor<fp32, [2, 4]> o =
              split(x = p, num_splits = int32(4), axis = int32(1));
            tensor<fp32, [2, 4]> fb = add(x = f, y = fp32(1));
            tensor<fp32, [2, 4]> ip = mul(x = c, y = \(Self.vector(4, 2)));
            tensor<fp32, [2, 4]> fp = mul(x = \(Self.vector(4, 3)), y = c);
            tensor<fp32, [2, 4]> is = add(x = i, y = ip);
            tensor<fp32, [2, 4]> fs = add(x = fp, y = fb);
            tensor<fp32, [2, 4]> ig = sigmoid(x = is);
            tensor<fp32, [2, 4]> fg = sigmoid(x = fs);
            tensor<fp32, [2, 4]> zg = tanh(x = z);
            tensor<fp32, [2, 4]> a = mul(x = zg, y = ig);
            tensor<fp32, [2, 4]> b = mul(x = c, y = fg);
            tensor<fp32, [2, 4]> cs = add(x = a, y = b);
            tensor<fp32, [2, 4]> cn = \(limit);
            tensor<fp32, [2, 4]> op = mul(x = cn, y = \(Self.vector(4, 4)));
            tensor<fp32, [2, 4]> os = add(x = op, y = o);
            tensor<fp32, [2, 4]> og = sigmoid(x = os);
            tensor<fp32, [2, 4]> co = tanh(x = cn);
            tensor<fp32, [2, 4]> hn = mul(x = co, y = og);
            int32 j = add(x = int32(1), y = k);
            list<tensor<fp32, [2, 4]>, ?> w = list_write(ls = l, index = k, value = hn);
          } -> (j, cn, w, hn);
        tensor<fp32, [5, 2, 4]> y = list_gather(ls = hs, indices = tensor<int32, [5]>([0, 1, 2, 3, 4]));
        tensor<fp32, [2, 2, 4]> some = list_gather(ls = hs, indices = tensor<int32, [2]>([3, 1]));
        tensor<fp32, [2, 4]> third = list_read(ls = hs, index = int32(2));
        int32 n = list_length(ls = hs);
      } -> (y, some, third, n, ce, he, last)
      """
    var inputs = try Self.inputs
    inputs["c0"] = try Self.random(.float32, [2, 4], seed: 9)
    try Self.compare(Self.function(program), inputs, tolerance: 2e-6)
  }

  // MARK: helpers

  static var inputs: [String: Tensor] {
    get throws {
      ["x": try random(.float32, [5, 2, 3], seed: 1), "h0": try random(.float32, [2, 4], seed: 2)]
    }
  }

  static func gate(_ name: String, _ seed: Int) -> String {
    """
    tensor<fp32, [2, 4]> \(name)x = linear(x = xt, weight = \(matrix(4, 3, 10 + seed)), bias = \(vector(4, 10 + seed)));
    tensor<fp32, [2, 4]> \(name)h = linear(x = h, weight = \(matrix(4, 4, 20 + seed)), bias = \(vector(4, 20 + seed)));
    tensor<fp32, [2, 4]> \(name)p = add(x = \(name)h, y = \(name)x);
    tensor<fp32, [2, 4]> \(name) = sigmoid(x = \(name)p);
    """
  }

  static let candidate = """
    tensor<fp32, [2, 4]> nx = linear(x = xt, weight = \(matrix(4, 3, 2)), bias = \(vector(4, 2)));
    tensor<fp32, [2, 4]> nh = linear(x = h, weight = \(matrix(4, 4, 3)), bias = \(vector(4, 3)));
    tensor<fp32, [2, 4]> rn = mul(x = r, y = nh);
    tensor<fp32, [2, 4]> np = add(x = nx, y = rn);
    tensor<fp32, [2, 4]> n = tanh(x = np);
    """

  static let mean = """
    tensor<fp32, [2, 4]> i = sub(x = fp32(1), y = z);
    tensor<fp32, [2, 4]> a = mul(x = i, y = n);
    tensor<fp32, [2, 4]> b = mul(x = z, y = h);
    tensor<fp32, [2, 4]> hn = add(x = a, y = b);
    """

  private static func slice(_ name: String, _ source: String, _ start: Int) -> String {
    """
    tensor<fp32, [2, 4]> \(name) = slice_by_index(x = \(source), begin = tensor<int32, [2]>([0, \(start)]),
      end = tensor<int32, [2]>([0, \(start + 4)]), begin_mask = tensor<bool, [2]>([true, false]),
      end_mask = tensor<bool, [2]>([true, false]));
    """
  }

  /// A loop of five rounds whose body computes `hn` from `xt` and `h`.
  static func program(body: String) -> String {
    """
    (tensor<fp32, [5, 2, 3]> x, tensor<fp32, [2, 4]> h0) {
      int32 last, tensor<fp32, [2, 4]> y = while_loop(loop_vars = (int32(0), h0))
        block(int32 k, tensor<fp32, [2, 4]> h) {
          bool more = less(x = k, y = int32(5));
        } -> (more)
        block(int32 k, tensor<fp32, [2, 4]> h) {
          tensor<fp32, [2, 3]> xt = gather(x = x, indices = k, axis = int32(0));
          \(body)
          int32 j = add(x = k, y = int32(1));
        } -> (j, hn);
    } -> (y, last)
    """
  }

  static func function(_ text: String) throws -> Function {
    try #require(MILText.parse("program(1.3) { func main<ios18>\(text); }").functions["main"])
  }

  static func matrix(_ rows: Int, _ columns: Int, _ seed: Int) -> String {
    let numbers = numbers(rows * columns, seed: seed + 1)
    let lines = (0..<rows).map {
      "[\(numbers[$0 * columns..<($0 + 1) * columns].map(\.description).joined(separator: ", "))]"
    }
    return "tensor<fp32, [\(rows), \(columns)]>([\(lines.joined(separator: ", "))])"
  }

  static func vector(_ count: Int, _ seed: Int) -> String {
    "tensor<fp32, [\(count)]>([\(numbers(count, seed: seed + 77).map(\.description).joined(separator: ", "))])"
  }

  /// Values between -0.7 and 0.7.
  private static func numbers(_ count: Int, seed: Int) -> [Float] {
    var state = UInt64(seed &* 2_654_435_761 &+ 12345)
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int(state >> 40) % 1401 - 700) / 1000
    }
  }

  static func random(_ scalar: ScalarType, _ shape: [Int], seed: Int) throws -> Tensor {
    try Tensor(scalar, shape: shape, doubles: numbers(shape.reduce(1, *), seed: seed).map { Double($0) * 2 })
  }

  /// Runs a function unplanned and planned. Remaining loops in the plan show whether the loops were recognized.
  static func compare(
    _ function: Function, _ inputs: [String: Tensor], tolerance: Double, isRecognised: Bool = true,
    _ comment: Comment? = nil
  ) throws {
    let types = inputs.mapValues(\.type)
    let plain = Engine(function: function, devices: DeviceChoice(threads: 1, allowsFusion: false))
    let planned = Engine(function: function, devices: DeviceChoice(threads: 2))
    let left = try planned.specialised(for: types).body.operations.map(\.type)
    #expect(try plain.specialised(for: types).body.operations.contains { $0.type == "while_loop" }, comment)
    #expect(left.contains("while_loop") == !isRecognised, comment)
    #expect(left.contains { ["lstm", "gru", "rnn"].contains($0) } == isRecognised, comment)
    let (expected, found) = (try EngineTests.run(plain, inputs), try EngineTests.run(planned, inputs))
    #expect(Set(expected.keys) == Set(found.keys), comment)
    for (name, values) in expected {
      let other = try #require(found[name], comment)
      #expect(values.count == other.count, comment)
      for (a, b) in zip(values, other)
      where !(a == b || (a.isNaN && b.isNaN) || a.isFinite && abs(a - b) <= tolerance * max(1, abs(a))) {
        Issue.record("\(comment?.rawValue ?? ""): '\(name)' is \(b), the loop gives \(a)")
        break
      }
    }
  }
}
