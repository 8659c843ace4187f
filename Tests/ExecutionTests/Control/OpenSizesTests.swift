import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Loops and branches of models with flexible shapes. Operations after them are planned once the shapes are known.
@Suite struct OpenSizesTests {
  struct Program: Sendable, CustomStringConvertible {
    let description: String
    let text: String
    /// The result types of the loop or branch for an input [3, 2].
    let types: [String]
  }

  static let programs = [
    Program(
      description: "a loop whose rounds change no type",
      text: """
        (tensor<fp32, [?, 2]> x) {
          int32 n, tensor<fp32, [?, 2]> h = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [?, 2]> v) { bool more = less(x = i, y = int32(4)); } -> (more)
            block(int32 i, tensor<fp32, [?, 2]> v) {
              tensor<fp32, [?, 2]> w = softplus(x = v);
              tensor<fp32, [?, 2]> u = add(x = w, y = x);
              int32 j = add(x = i, y = int32(1));
            } -> (j, u);
          tensor<fp32, [?, 2]> y = relu(x = h);
        } -> (y, n)
        """, types: ["tensor<int32, []>", "tensor<fp32, [3, 2]>"]),
    Program(
      description: "a shape that a round works out",
      text: """
        (tensor<fp32, [?, 2]> x) {
          int32 n, tensor<fp32, [?, ?]> h = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [?, ?]> v) { bool more = less(x = i, y = int32(2)); } -> (more)
            block(int32 i, tensor<fp32, [?, ?]> v) {
              tensor<int32, [2]> s = shape(x = v);
              tensor<fp32, [?]> f = reshape(x = v, shape = tensor<int32, [1]>([-1]));
              tensor<fp32, [?]> e = exp(x = f);
              tensor<fp32, [?, ?]> u = reshape(x = e, shape = s);
              int32 j = add(x = i, y = int32(1));
            } -> (j, u);
          tensor<fp32, [?, ?]> y = relu(x = h);
        } -> (y)
        """, types: ["tensor<int32, []>", "tensor<fp32, [3, 2]>"]),
    Program(
      description: "one variable that grows, and one that does not",
      text: """
        (tensor<fp32, [?, 2]> x) {
          int32 n, tensor<fp32, [?, 2]> g, tensor<fp32, [?, 2]> h = while_loop(loop_vars = (int32(0), x, x))
            block(int32 i, tensor<fp32, [?, 2]> u, tensor<fp32, [?, 2]> v) { bool more = less(x = i, y = int32(2)); } -> (more)
            block(int32 i, tensor<fp32, [?, 2]> u, tensor<fp32, [?, 2]> v) {
              tensor<fp32, [?, 2]> w = concat(values = (u, x), axis = int32(0), interleave = bool(false));
              tensor<fp32, [?, 2]> z = softplus(x = v);
              int32 j = add(x = i, y = int32(1));
            } -> (j, w, z);
          tensor<fp32, [?, 2]> y = relu(x = h);
          tensor<fp32, [?, 2]> a = relu(x = g);
        } -> (y, a)
        """, types: ["tensor<int32, []>", "tensor<fp32, [?, 2]>", "tensor<fp32, [3, 2]>"]),
    Program(
      description: "a branch in a loop",
      text: """
        (tensor<fp32, [?, 2]> x) {
          int32 n, tensor<fp32, [?, 2]> h = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [?, 2]> v) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i, tensor<fp32, [?, 2]> v) {
              bool isFirst = equal(x = i, y = int32(0));
              tensor<fp32, [?, 2]> w = cond(pred = isFirst)
                block() { tensor<fp32, [?, 2]> a = exp(x = v); } -> (a)
                block() { tensor<fp32, [?, 2]> b = softplus(x = v); } -> (b);
              int32 j = add(x = i, y = int32(1));
            } -> (j, w);
          tensor<fp32, [?, 2]> y = relu(x = h);
        } -> (y)
        """, types: ["tensor<int32, []>", "tensor<fp32, [3, 2]>"]),
    Program(
      description: "branches that agree, and branches that do not",
      text: """
        (tensor<fp32, [?, 2]> x) {
          fp32 s = reduce_sum(x = x, keep_dims = bool(false));
          bool p = greater(x = s, y = fp32(0));
          tensor<fp32, [?, 2]> h, tensor<fp32, [?, 2]> g = cond(pred = p)
            block() { tensor<fp32, [?, 2]> a = exp(x = x); } -> (a, x)
            block() {
              tensor<fp32, [?, 2]> b = softplus(x = x);
              tensor<fp32, [?, 2]> c = concat(values = (x, x), axis = int32(0), interleave = bool(false));
            } -> (b, c);
          tensor<fp32, [?, 2]> y = relu(x = h);
          tensor<fp32, [?, 2]> z = relu(x = g);
        } -> (y, z)
        """, types: ["tensor<fp32, [3, 2]>", "tensor<fp32, [?, 2]>"]),
    Program(
      description: "a body that could not run",
      text: """
        (tensor<fp32, [?, 2]> x) {
          int32 n, tensor<fp32, [?, 2]> h = while_loop(loop_vars = (int32(5), x))
            block(int32 i, tensor<fp32, [?, 2]> v) { bool more = less(x = i, y = int32(4)); } -> (more)
            block(int32 i, tensor<fp32, [?, 2]> v) {
              tensor<fp32, [?, 2]> u = add(x = v, y = tensor<fp32, [4, 2]>([[1, 2], [3, 4], [5, 6], [7, 8]]));
              int32 j = add(x = i, y = int32(1));
            } -> (j, u);
          tensor<fp32, [?, 2]> y = relu(x = h);
        } -> (y)
        """, types: ["tensor<int32, []>", "tensor<fp32, [?, 2]>"]),
  ]

  @Test(arguments: programs, [false, true]) func whatFollowsIsPlanned(_ program: Program, fused: Bool) throws {
    let function = try EngineTests.engine(program.text).function
    let engine = Engine(function: function, devices: DeviceChoice(threads: 2, allowsFusion: fused))
    for rows in [3, 1] {
      let inputs = ["x": try RecurrentLoopTests.random(.float32, [rows, 2], seed: rows)]
      let expected = try Interpreter(pool: engine.pool, states: StateBuffers(types: [:])).run(
        Block(inputs: function.inputs, operations: function.body.operations, outputs: function.body.outputs),
        inputs: [.tensor(try #require(inputs["x"]))], [:])
      let found = try EngineTests.run(engine, inputs)
      for (name, value) in zip(function.body.outputs, expected) {
        let (wanted, other) = (try #require(try value.tensor?.doubles()), try #require(found[name]))
        #expect(wanted.count == other.count)
        #expect(zip(wanted, other).allSatisfy { abs($0 - $1) <= 1e-5 * max(1, abs($0)) }, "\(name)")
      }
    }
    let plan = try engine.plan(for: ["x": TensorType(.float32, [3, 2])])
    let step = try #require(
      plan.steps.first {
        if case .control = $0.action { return true }
        return false
      })
    #expect(step.choice.operation.outputs.map { "\($0.type)" } == program.types)
    // An operation with a known type runs in a kernel. One without a type is evaluated.
    let evaluated = plan.steps.filter { step in
      if case .evaluate = step.action { return true }
      return false
    }
    #expect(evaluated.count == program.types.count { $0.contains("?") })
  }
}
