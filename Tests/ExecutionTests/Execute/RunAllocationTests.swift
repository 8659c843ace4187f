import AllocationCount
import CoreMLBase
import Foundation
import MIL
import Testing

@testable import CoreMLExecution

/// A plan that runs on the host allocates no memory. Its session has allocated everything before the first step.
@Suite(.enabled(if: AllocationCount.isOn, "a sanitizer has its own allocator"))
struct RunAllocationTests {
  /// The number of allocations in the third run of a session, on the thread that runs it and computes its share.
  private func allocations(_ text: String, threads: Int) throws -> Int {
    let engine = try EngineTests.engine(text, threads: threads)
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(plan.steps.allSatisfy { if case .evaluate = $0.action { false } else { true } }, "a step is not planned")
    let session = try Session(plan: plan)
    let states = try StateBuffers(types: engine.stateTypes)
    for (name, type) in engine.inputTypes {
      try session.set(name, .tensor(.zeros(type.scalar, shape: #require(type.concreteShape))))
    }
    for _ in 0..<2 { try session.run(states: states, shouldStop: nil) }
    return try AllocationCount.count { try session.run(states: states, shouldStop: nil) }
  }

  /// The operations of common networks: convolution, matrix product, pooling, normalization, attention, recurrence and
  /// data movement.
  static let network = """
    (tensor<fp32, [1, 3, 32, 32]> x) {
      tensor<fp32, [16, 3, 3, 3]> w = fill(shape = tensor<int32, [4]>([16, 3, 3, 3]), value = fp32(0.1));
      tensor<fp32, [16, 1, 3, 3]> d = fill(shape = tensor<int32, [4]>([16, 1, 3, 3]), value = fp32(0.1));
      tensor<fp32, [64, 64]> v = fill(shape = tensor<int32, [2]>([64, 64]), value = fp32(0.02));
      tensor<fp32, [1, 16, 32, 32]> a = conv(x = x, weight = w, pad_type = string("same"));
      tensor<fp32, [1, 16, 32, 32]> b = relu(x = a);
      tensor<fp32, [1, 16, 32, 32]> e = conv(x = b, weight = d, groups = int32(16), pad_type = string("same"));
      tensor<fp32, [1, 16, 32, 32]> f = add(x = e, y = b);
      tensor<fp32, [1, 16, 16, 16]> g = max_pool(x = f, kernel_sizes = tensor<int32, [2]>([2, 2]),
        strides = tensor<int32, [2]>([2, 2]), pad_type = string("valid"));
      tensor<fp32, [1, 16, 16, 16]> h = avg_pool(x = g, kernel_sizes = tensor<int32, [2]>([3, 3]), pad_type = string("same"));
      tensor<fp32, [64, 64]> i = reshape(x = h, shape = tensor<int32, [2]>([64, 64]));
      tensor<fp32, [64, 64]> j = linear(x = i, weight = v);
      tensor<fp32, [64, 64]> k = layer_norm(x = j, axes = tensor<int32, [1]>([1]));
      tensor<fp32, [64, 64]> l = transpose(x = k, perm = tensor<int32, [2]>([1, 0]));
      tensor<fp32, [64, 64]> m = matmul(x = k, y = l);
      tensor<fp32, [64, 64]> n = softmax(x = m, axis = int32(1));
      tensor<fp32, [64, 64]> o = gelu(x = n);
      tensor<fp32, [128, 64]> p = concat(values = (o, l), axis = int32(0));
      tensor<fp32, [128, 32]> q = slice_by_index(x = p, begin = tensor<int32, [2]>([0, 0]), end = tensor<int32, [2]>([128, 32]));
      tensor<fp32, [128]> y = reduce_sum(x = q, axes = tensor<int32, [1]>([1]), keep_dims = bool(false));
    } -> (y)
    """

  static let attention = """
    (tensor<fp32, [1, 4, 32, 16]> q, tensor<fp32, [1, 4, 32, 16]> k, tensor<fp32, [1, 4, 32, 16]> v) {
      tensor<fp32, [1, 4, 32, 16]> y = scaled_dot_product_attention(query = q, key = k, value = v);
    } -> (y)
    """

  static let recurrent = """
    (tensor<fp32, [20, 2, 8]> x) {
      tensor<fp32, [2, 16]> h = fill(shape = tensor<int32, [2]>([2, 16]), value = fp32(0));
      tensor<fp32, [64, 8]> w = fill(shape = tensor<int32, [2]>([64, 8]), value = fp32(0.1));
      tensor<fp32, [64, 16]> r = fill(shape = tensor<int32, [2]>([64, 16]), value = fp32(0.1));
      tensor<fp32, [64]> b = fill(shape = tensor<int32, [1]>([64]), value = fp32(0.1));
      tensor<fp32, [20, 2, 16]> y, tensor<fp32, [2, 16]> hn, tensor<fp32, [2, 16]> cn = lstm(x = x, initial_h = h,
        initial_c = h, weight_ih = w, weight_hh = r, bias = b, direction = string("forward"), output_sequence = bool(true));
    } -> (y)
    """

  /// A state that the plan copies, because a value that was read from it is used after a write.
  static let copied = """
    (state<tensor<fp32, [256]>> s, tensor<fp32, [256]> x) {
      tensor<fp32, [256]> before = read_state(input = s);
      tensor<fp32, [256]> after = add(x = before, y = x);
      write_state(input = s, data = after);
      tensor<fp32, [256]> y = mul(x = before, y = after);
    } -> (y)
    """

  /// A cache that the plan extends in place.
  static let cache = """
    (state<tensor<fp32, [64, 32]>> cache, tensor<fp32, [1, 32]> row) {
      tensor<fp32, [64, 32]> old = read_state(input = cache);
      tensor<fp32, [64, 32]> new = slice_update(x = old, update = row, begin = tensor<int32, [2]>([3, 0]),
        end = tensor<int32, [2]>([4, 32]));
      write_state(input = cache, data = new);
      tensor<fp32, [64, 32]> all = read_state(input = cache);
      tensor<fp32, [32]> y = reduce_sum(x = all, axes = tensor<int32, [1]>([0]), keep_dims = bool(false));
    } -> (y)
    """

  /// A cache that is extended at a position known only at run time, and a window of the cache.
  static let position = """
    (state<tensor<fp32, [64, 32]>> cache, tensor<fp32, [1, 32]> row, tensor<int32, [2]> place) {
      tensor<fp32, [64, 32]> old = read_state(input = cache);
      tensor<fp32, [64, 32]> new = slice_update(x = old, update = row, begin = place, end = tensor<int32, [2]>([1, 32]));
      write_state(input = cache, data = new);
      tensor<fp32, [64, 32]> all = read_state(input = cache);
      tensor<fp32, [8, 32]> window = slice_by_size(x = all, begin = place, size = tensor<int32, [2]>([8, 32]));
      tensor<fp32, [32]> y = reduce_sum(x = window, axes = tensor<int32, [1]>([0]), keep_dims = bool(false));
    } -> (y)
    """

  /// A loop that is not a recurrent layer. Its rounds read a weight and a captured value. One branch is inside it and
  /// one after it.
  static let control = """
    (tensor<fp32, [4, 8]> x, tensor<fp32, [8]> bias) {
      tensor<fp32, [8, 8]> w = fill(shape = tensor<int32, [2]>([8, 8]), value = fp32(0.01));
      tensor<fp32, [4, 8]> scaled = mul(x = x, y = fp32(0.5));
      int32 n, tensor<fp32, [4, 8]> y = while_loop(loop_vars = (int32(0), scaled))
        block(int32 i, tensor<fp32, [4, 8]> h) { bool more = less(x = i, y = int32(7)); } -> (more)
        block(int32 i, tensor<fp32, [4, 8]> h) {
          bool isLate = greater(x = i, y = int32(3));
          tensor<fp32, [4, 8]> p = linear(x = h, weight = w, bias = bias);
          tensor<fp32, [4, 8]> z = cond(pred = isLate)
            block() { tensor<fp32, [4, 8]> a = sin(x = p); } -> (a)
            block() { tensor<fp32, [4, 8]> b = add(x = p, y = scaled); } -> (b);
          int32 j = add(x = i, y = int32(1));
        } -> (j, z);
      fp32 sum = reduce_sum(x = y, axes = tensor<int32, [2]>([0, 1]), keep_dims = bool(false));
      bool isLarge = greater(x = sum, y = fp32(0.25));
      tensor<fp32, [4, 8]> r = cond(pred = isLarge)
        block() { tensor<fp32, [4, 8]> c = exp(x = y); } -> (c)
        block() { tensor<fp32, [4, 8]> d = cos(x = y); } -> (d);
    } -> (r)
    """

  @Test(arguments: [network, attention, recurrent, copied, cache, position, control], [1, 3])
  func nothingIsAllocatedWhileAPlanRuns(text: String, threads: Int) throws {
    #expect(try allocations(text, threads: threads) == 0)
  }

  /// With a cancellation that is checked between steps, and with a time limit.
  @Test func neitherDoesTheQuestionWhetherToStop() throws {
    let count = try Cancellation(after: 1000, within: Cancellation()).during {
      try allocations(Self.network, threads: 2)
    }
    #expect(count == 0)
  }

  /// The number of allocations of a whole prediction does not grow with the number of operations.
  @Test func whatAPredictionTakesIsBounded() throws {
    func count(_ operations: Int) throws -> Int {
      var text = "(tensor<fp32, [8]> v0) {"
      for number in 1...operations {
        text += "tensor<fp32, [8]> v\(number) = \(number % 2 == 0 ? "exp" : "sin")(x = v\(number - 1));"
      }
      let engine = try EngineTests.engine(text + "} -> (v\(operations))", threads: 1)
      let states = try StateBuffers(types: [:])
      let input = try Tensor.zeros(.float32, shape: [8])
      func run() throws {
        try engine.run(["v0": .tensor(input)], states: states) { #expect($0.count == 1) }
      }
      for _ in 0..<3 { try run() }
      return try AllocationCount.count(run)
    }
    let (few, many) = (try count(2), try count(200))
    #expect(many <= few + 2, "\(few) for 2 operations, \(many) for 200")
  }
}
