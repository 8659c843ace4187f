import CoreMLBase
import CoreMLKernels
import Foundation
import MIL
import Testing

@testable import CoreMLExecution

/// Blocks of loops and branches have their own plans, and give the results of the interpreter.
@Suite struct ControlFlowTests {
  struct Program: Sendable, CustomStringConvertible {
    let description: String
    let text: String
    /// The number of plan sets that the first loop or branch makes.
    var made = 1
  }

  static let programs = [
    Program(
      description: "a cell that MIL has not",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          tensor<fp32, [3, 3]> w = const()[val = tensor<fp32, [3, 3]>([[0.1, -0.2, 0.3], [0.5, 0.1, 0.2], [-0.3, 0.2, 0.4]])];
          int32 n, tensor<fp32, [4, 3]> y = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [4, 3]> h) { bool more = less(x = i, y = int32(20)); } -> (more)
            block(int32 i, tensor<fp32, [4, 3]> h) {
              tensor<fp32, [4, 3]> p = linear(x = h, weight = w, bias = tensor<fp32, [3]>([0.1, 0.2, 0.3]));
              tensor<fp32, [4, 3]> q = add(x = p, y = v);
              tensor<fp32, [4, 3]> g = softplus(x = q);
              int32 j = add(x = i, y = int32(1));
            } -> (j, g);
        } -> (y, n)
        """),
    Program(
      description: "variables that change places",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          tensor<fp32, [4, 3]> s = add(x = x, y = v);
          tensor<fp32, [4, 3]> t = mul(x = x, y = v);
          int32 n, tensor<fp32, [4, 3]> a, tensor<fp32, [4, 3]> b, tensor<fp32, [4, 3]> c =
            while_loop(loop_vars = (int32(0), x, s, t))
            block(int32 i, tensor<fp32, [4, 3]> a, tensor<fp32, [4, 3]> b, tensor<fp32, [4, 3]> c) {
              bool more = less(x = i, y = int32(7));
            } -> (more)
            block(int32 i, tensor<fp32, [4, 3]> a, tensor<fp32, [4, 3]> b, tensor<fp32, [4, 3]> c) {
              tensor<fp32, [4, 3]> d = sub(x = a, y = b);
              int32 j = add(x = i, y = int32(1));
            } -> (j, c, d, b);
        } -> (a, b, c)
        """),
    Program(
      description: "no round",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          int32 n, tensor<fp32, [4, 3]> y = while_loop(loop_vars = (int32(9), x))
            block(int32 i, tensor<fp32, [4, 3]> h) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i, tensor<fp32, [4, 3]> h) {
              tensor<fp32, [4, 3]> g = add(x = h, y = v);
              int32 j = add(x = i, y = int32(1));
            } -> (j, g);
        } -> (y, n)
        """),
    Program(
      description: "a loop in a loop, and a branch in that",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          int32 n, tensor<fp32, [4, 3]> y = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [4, 3]> h) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i, tensor<fp32, [4, 3]> h) {
              int32 m, tensor<fp32, [4, 3]> g = while_loop(loop_vars = (int32(0), h))
                block(int32 k, tensor<fp32, [4, 3]> e) { bool on = less(x = k, y = i); } -> (on)
                block(int32 k, tensor<fp32, [4, 3]> e) {
                  bool isFirst = equal(x = k, y = int32(0));
                  tensor<fp32, [4, 3]> f = cond(pred = isFirst)
                    block() { tensor<fp32, [4, 3]> f1 = add(x = e, y = v); } -> (f1)
                    block() { tensor<fp32, [4, 3]> f2 = mul(x = h, y = v); } -> (f2);
                  int32 l = add(x = k, y = int32(1));
                } -> (l, f);
              tensor<fp32, [4, 3]> u = add(x = g, y = h);
              int32 j = add(x = i, y = int32(1));
            } -> (j, u);
        } -> (y)
        """),
    Program(
      description: "a branch that gives what is around it",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          fp32 s = reduce_sum(x = v, keep_dims = bool(false));
          bool isMore = greater(x = s, y = fp32(0));
          tensor<fp32, [4, 3]> y, tensor<fp32, [3]> z = cond(pred = isMore)
            block() { tensor<fp32, [4, 3]> a = exp(x = x); } -> (a, v)
            block() { tensor<fp32, [3]> b = mul(x = v, y = fp32(-1)); } -> (x, b);
        } -> (y, z)
        """),
    Program(
      description: "a shape that is another one after the first round",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          tensor<fp32, [1, 3]> one = expand_dims(x = v, axes = tensor<int32, [1]>([0]));
          int32 n, tensor<fp32, [?, 3]> y = while_loop(loop_vars = (int32(0), one))
            block(int32 i, tensor<fp32, [?, 3]> h) { bool more = less(x = i, y = int32(5)); } -> (more)
            block(int32 i, tensor<fp32, [?, 3]> h) {
              tensor<fp32, [?, 3]> g = add(x = h, y = x);
              int32 j = add(x = i, y = int32(1));
            } -> (j, g);
        } -> (y)
        """, made: 2),
    Program(
      description: "a shape that grows",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          int32 n, tensor<fp32, [?, 3]> y = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [?, 3]> h) { bool more = less(x = i, y = int32(9)); } -> (more)
            block(int32 i, tensor<fp32, [?, 3]> h) {
              tensor<fp32, [?, 3]> g = concat(values = (h, x), axis = int32(0), interleave = bool(false));
              int32 j = add(x = i, y = int32(1));
            } -> (j, g);
        } -> (y)
        """, made: 4),
    Program(
      description: "a list",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          list<tensor<fp32, [3]>, ?> begin = make_list(init_length = int32(1), elem_shape = (int32(3)),
            dynamic_length = bool(true), dtype = string("fp32"));
          int32 n, list<tensor<fp32, [3]>, ?> l, tensor<fp32, [3]> e = while_loop(loop_vars = (int32(0), begin, v))
            block(int32 i, list<tensor<fp32, [3]>, ?> l, tensor<fp32, [3]> h) {
              int32 length = list_length(ls = l);
              bool more = less(x = length, y = int32(6));
            } -> (more)
            block(int32 i, list<tensor<fp32, [3]>, ?> l, tensor<fp32, [3]> h) {
              tensor<fp32, [3]> g = exp2(x = h);
              tensor<fp32, [3]> s = sin(x = g);
              list<tensor<fp32, [3]>, ?> w = list_write(ls = l, index = i, value = s);
              int32 j = add(x = i, y = int32(1));
            } -> (j, w, s);
          tensor<fp32, [2, 3]> y = list_gather(ls = l, indices = tensor<int32, [2]>([5, 2]));
        } -> (y, e)
        """),
    Program(
      description: "what only run time shapes",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          tensor<int32, [?, 1]> places = non_zero(x = v);
          tensor<fp32, [?, 1]> numbers = cast(x = places, dtype = string("fp32"));
          int32 n, tensor<fp32, [4, 3]> y = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [4, 3]> h) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i, tensor<fp32, [4, 3]> h) {
              tensor<fp32, [?, 1]> r = sin(x = numbers);
              tensor<fp32, [1, 1]> s = reduce_sum(x = r, keep_dims = bool(true), axes = tensor<int32, [2]>([0, 1]));
              tensor<fp32, [4, 3]> g = add(x = h, y = s);
              int32 j = add(x = i, y = int32(1));
            } -> (j, g);
        } -> (y)
        """),
    Program(
      description: "variables that only the condition reads, or nobody",
      text: """
        (tensor<fp32, [4, 3]> x, tensor<fp32, [3]> v) {
          fp32 one = reduce_max(x = x, keep_dims = bool(false));
          fp32 left, tensor<fp32, [4, 3]> y, tensor<fp32, [3]> unread = while_loop(loop_vars = (one, x, v))
            block(fp32 s, tensor<fp32, [4, 3]> h, tensor<fp32, [3]> u) { bool more = less(x = s, y = fp32(40)); } -> (more)
            block(fp32 s, tensor<fp32, [4, 3]> h, tensor<fp32, [3]> u) {
              tensor<fp32, [4, 3]> d = mul(x = h, y = fp32(1.5));
              tensor<fp32, [4, 3]> e = abs(x = d);
              tensor<fp32, [4, 3]> f = add(x = e, y = d);
              tensor<fp32, [4, 3]> g = add(x = f, y = fp32(1));
              fp32 t = reduce_max(x = g, keep_dims = bool(false));
              tensor<fp32, [3]> q = reduce_sum(x = g, keep_dims = bool(false), axes = tensor<int32, [1]>([0]));
            } -> (t, g, q);
        } -> (left, y, unread)
        """),
  ]

  static var inputs: [String: Tensor] {
    get throws {
      [
        "x": try RecurrentLoopTests.random(.float32, [4, 3], seed: 3),
        "v": try RecurrentLoopTests.random(.float32, [3], seed: 5),
      ]
    }
  }

  @Test(arguments: programs) func givesWhatTheInterpreterGives(_ program: Program) throws {
    let engine = try EngineTests.engine(program.text)
    let inputs = try Self.inputs
    let expected = try Interpreter(pool: engine.pool, states: StateBuffers(types: [:])).run(
      Block(
        inputs: engine.function.inputs, operations: engine.function.body.operations,
        outputs: engine.function.body.outputs),
      inputs: engine.function.inputs.map { .tensor(try #require(inputs[$0.name])) }, [:])
    let flow = try #require(Self.flows(try engine.plan(for: inputs.mapValues(\.type))).first)
    // A session that has run before gives the same results.
    for _ in 0..<3 {
      let found = try EngineTests.run(engine, inputs)
      for (name, value) in zip(engine.function.body.outputs, expected) {
        let wanted = try #require(try value.tensor?.doubles())
        let other = try #require(found[name])
        #expect(wanted.count == other.count, "\(name)")
        let isNear = zip(wanted, other).allSatisfy { abs($0 - $1) <= 1e-5 * max(1, abs($0)) }
        #expect(isNear, "\(name): \(other), not \(wanted)")
      }
    }
    #expect(flow.made == program.made)
  }

  static func flows(_ plan: Plan) -> [ControlFlow] {
    plan.steps.compactMap { step in
      if case .control(let flow) = step.action { return flow }
      return nil
    }
  }

  /// Rounds do not pack weights. The plan of the body packs them once.
  @Test func weightsArePackedOnce() throws {
    let row = "[" + (0..<64).map { "\(Double($0 % 9) / 90 - 0.04)" }.joined(separator: ", ") + "]"
    let weight = "[" + Array(repeating: row, count: 64).joined(separator: ", ") + "]"
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [64, 64]> x) {
        tensor<fp32, [64, 64]> w = const()[val = tensor<fp32, [64, 64]>(\(weight))];
        int32 n, tensor<fp32, [64, 64]> y = while_loop(loop_vars = (int32(0), x))
          block(int32 i, tensor<fp32, [64, 64]> h) { bool more = less(x = i, y = int32(50)); } -> (more)
          block(int32 i, tensor<fp32, [64, 64]> h) {
            tensor<fp32, [64, 64]> p = linear(x = h, weight = w);
            tensor<fp32, [64, 64]> g = softsign(x = p);
            int32 j = add(x = i, y = int32(1));
          } -> (j, g);
      } -> (y)
      """)
    let x = try RecurrentLoopTests.random(.float32, [64, 64], seed: 1)
    let flow = try #require(Self.flows(try engine.plan(for: ["x": x.type])).first)
    #expect(flow.made == 1)
    let body = try #require(flow.plans.first { $0.name == "body" }).plan
    #expect(body.steps.contains { !$0.packed.isEmpty })
    _ = try EngineTests.run(engine, ["x": x])
    #expect(flow.made == 1)
  }

  /// A loop that never ends is cancelled between two rounds.
  @Test func aLoopIsCancelled() throws {
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [3]> x) {
        int32 n, tensor<fp32, [3]> y = while_loop(loop_vars = (int32(0), x))
          block(int32 i, tensor<fp32, [3]> h) { bool more = less(x = i, y = int32(1)); } -> (more)
          block(int32 i, tensor<fp32, [3]> h) { tensor<fp32, [3]> g = sin(x = h); } -> (i, g);
      } -> (y)
      """)
    let x = Tensor(float32: [1, 2, 3], shape: [3])
    #expect(Self.flows(try engine.plan(for: ["x": x.type])).first?.made == 1)
    let cancellation = Cancellation()
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.1)
      cancellation.cancel()
    }
    #expect(throws: (any Error).self) { try cancellation.during { try EngineTests.run(engine, ["x": x]) } }
  }
}
