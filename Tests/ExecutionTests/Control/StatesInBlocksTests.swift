import CoreMLKernels
import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// Blocks of loops and branches read and write states in place.
@Suite struct StatesInBlocksTests {
  struct Program: Sendable, CustomStringConvertible {
    let description: String
    let text: String
    /// The inputs of consecutive predictions on one state.
    let inputs: [[Float]]
    /// The expected results of each prediction, computed by hand.
    let results: [[String: [Double]]]
    /// The final content of the state.
    let state: [Double]
    /// The number of plan sets that loops and branches make, or 0 if no plan can be made.
    var made = 1
  }

  static let programs = [
    Program(
      description: "a branch that writes",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          fp32 sum = reduce_sum(x = x, keep_dims = bool(false));
          bool isMore = greater(x = sum, y = fp32(0));
          tensor<fp32, [2]> before = read_state(input = s);
          tensor<fp32, [2]> y = cond(pred = isMore)
            block() {
              tensor<fp32, [2]> a = read_state(input = s);
              tensor<fp32, [2]> b = add(x = a, y = x);
              write_state(input = s, data = b);
            } -> (b)
            block() { tensor<fp32, [2]> c = read_state(input = s); } -> (c);
          tensor<fp32, [2]> after = read_state(input = s);
          tensor<fp32, [2]> d = sub(x = after, y = before);
        } -> (y, d)
        """,
      inputs: [[1, 2], [-5, 0], [1, 1]],
      results: [["y": [1, 2], "d": [1, 2]], ["y": [1, 2], "d": [0, 0]], ["y": [2, 3], "d": [1, 1]]], state: [2, 3]),
    Program(
      description: "a branch that writes and gives nothing",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          fp32 sum = reduce_sum(x = x, keep_dims = bool(false));
          bool isMore = greater(x = sum, y = fp32(0));
          tensor<fp32, [2]> unread = cond(pred = isMore)
            block() { write_state(input = s, data = x); } -> (x)
            block() { tensor<fp32, [2]> c = mul(x = x, y = fp32(2)); write_state(input = s, data = c); } -> (c);
          tensor<fp32, [2]> y = read_state(input = s);
        } -> (y)
        """,
      inputs: [[1, 2], [-5, 0]], results: [["y": [1, 2]], ["y": [-10, 0]]], state: [-10, 0]),
    Program(
      description: "a loop that adds up",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          tensor<fp32, [2]> before = read_state(input = s);
          int32 n, tensor<fp32, [2]> h = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [2]> v) { bool more = less(x = i, y = int32(4)); } -> (more)
            block(int32 i, tensor<fp32, [2]> v) {
              tensor<fp32, [2]> a = read_state(input = s);
              tensor<fp32, [2]> b = add(x = a, y = v);
              write_state(input = s, data = b);
              tensor<fp32, [2]> w = mul(x = v, y = fp32(2));
              int32 j = add(x = i, y = int32(1));
            } -> (j, w);
          tensor<fp32, [2]> after = read_state(input = s);
          tensor<fp32, [2]> d = sub(x = after, y = before);
        } -> (after, d, h)
        """,
      inputs: [[1, 10], [2, 0]],
      results: [
        ["after": [15, 150], "d": [15, 150], "h": [16, 160]], ["after": [45, 150], "d": [30, 0], "h": [32, 0]],
      ], state: [45, 150]),
    Program(
      description: "a condition that reads",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          int32 n = while_loop(loop_vars = (int32(0)))
            block(int32 i) {
              tensor<fp32, [2]> c = read_state(input = s);
              fp32 m = reduce_max(x = c, keep_dims = bool(false));
              bool more = less(x = m, y = fp32(10));
            } -> (more)
            block(int32 i) {
              tensor<fp32, [2]> a = read_state(input = s);
              tensor<fp32, [2]> b = add(x = a, y = x);
              write_state(input = s, data = b);
              int32 j = add(x = i, y = int32(1));
            } -> (j);
        } -> (n)
        """,
      inputs: [[3, 1], [3, 1]], results: [["n": [4]], ["n": [0]]], state: [12, 4]),
    Program(
      description: "a branch in a loop in a loop",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          int32 n = while_loop(loop_vars = (int32(0)))
            block(int32 i) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i) {
              int32 m = while_loop(loop_vars = (int32(0)))
                block(int32 k) { bool on = less_equal(x = k, y = i); } -> (on)
                block(int32 k) {
                  bool isOdd = equal(x = k, y = int32(1));
                  tensor<fp32, [2]> r = cond(pred = isOdd)
                    block() {
                      tensor<fp32, [2]> a = read_state(input = s);
                      tensor<fp32, [2]> b = mul(x = a, y = fp32(2));
                      write_state(input = s, data = b);
                    } -> (b)
                    block() {
                      tensor<fp32, [2]> c = read_state(input = s);
                      tensor<fp32, [2]> d = add(x = c, y = x);
                      write_state(input = s, data = d);
                    } -> (d);
                  int32 l = add(x = k, y = int32(1));
                } -> (l);
              int32 j = add(x = i, y = int32(1));
            } -> (j);
          tensor<fp32, [2]> y = read_state(input = s);
        } -> (y)
        """,
      // Rounds of the inner loop: +x; +x, twice; +x, twice, +x.
      inputs: [[1, 3], [0, 0]], results: [["y": [11, 33]], ["y": [44, 132]]], state: [44, 132]),
    Program(
      description: "what was read is carried, and what was read before is captured",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          tensor<fp32, [2]> before = read_state(input = s);
          int32 n, tensor<fp32, [2]> old = while_loop(loop_vars = (int32(0), before))
            block(int32 i, tensor<fp32, [2]> v) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i, tensor<fp32, [2]> v) {
              tensor<fp32, [2]> a = read_state(input = s);
              tensor<fp32, [2]> b = add(x = a, y = x);
              tensor<fp32, [2]> c = add(x = b, y = before);
              write_state(input = s, data = c);
              int32 j = add(x = i, y = int32(1));
            } -> (j, a);
        } -> (old, before)
        """,
      // Each of three rounds adds x and the content before the loop.
      inputs: [[1, 2], [1, 0]],
      results: [["old": [2, 4], "before": [0, 0]], ["old": [11, 18], "before": [3, 6]]], state: [15, 24]),
    Program(
      description: "a branch that reads between a result and its write",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          tensor<fp32, [2]> a = read_state(input = s);
          tensor<fp32, [2]> b = add(x = a, y = x);
          fp32 sum = reduce_sum(x = x, keep_dims = bool(false));
          bool isMore = greater(x = sum, y = fp32(0));
          tensor<fp32, [2]> y = cond(pred = isMore)
            block() { tensor<fp32, [2]> c = read_state(input = s); tensor<fp32, [2]> d = mul(x = c, y = fp32(10)); } -> (d)
            block() { tensor<fp32, [2]> e = exp(x = x); } -> (e);
          write_state(input = s, data = b);
        } -> (y)
        """,
      inputs: [[1, 2], [3, 4]], results: [["y": [0, 0]], ["y": [10, 20]]], state: [4, 6]),
    Program(
      description: "a shape that grows beside it",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          int32 n, tensor<fp32, [?]> y = while_loop(loop_vars = (int32(0), x))
            block(int32 i, tensor<fp32, [?]> v) { bool more = less(x = i, y = int32(6)); } -> (more)
            block(int32 i, tensor<fp32, [?]> v) {
              tensor<fp32, [2]> a = read_state(input = s);
              tensor<fp32, [2]> b = add(x = a, y = x);
              write_state(input = s, data = b);
              tensor<fp32, [?]> w = concat(values = (v, a), axis = int32(0), interleave = bool(false));
              int32 j = add(x = i, y = int32(1));
            } -> (j, w);
        } -> (y)
        """,
      inputs: [[1, 2]],
      results: [["y": [1, 2, 0, 0, 1, 2, 2, 4, 3, 6, 4, 8, 5, 10]]], state: [6, 12], made: 4),
    Program(
      description: "fp16",
      text: """
        (state<tensor<fp16, [2]>> s, tensor<fp32, [2]> x) {
          tensor<fp16, [2]> h = cast(x = x, dtype = string("fp16"));
          int32 n = while_loop(loop_vars = (int32(0)))
            block(int32 i) { bool more = less(x = i, y = int32(3)); } -> (more)
            block(int32 i) {
              tensor<fp16, [2]> a = read_state(input = s);
              tensor<fp16, [2]> b = add(x = a, y = h);
              write_state(input = s, data = b);
              int32 j = add(x = i, y = int32(1));
            } -> (j);
          tensor<fp16, [2]> y = read_state(input = s);
        } -> (y)
        """,
      inputs: [[1, 0.25], [1, 2]], results: [["y": [3, 0.75]], ["y": [6, 6.75]]], state: [6, 6.75]),
    Program(
      description: "deeper than plans go",
      text: """
        (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
          fp32 sum = reduce_sum(x = x, keep_dims = bool(false));
          bool p = greater(x = sum, y = fp32(0));
          \(nested(8))
          tensor<fp32, [2]> y = read_state(input = s);
        } -> (y, y0)
        """,
      inputs: [[1, 2], [1, 2]], results: [["y": [1, 2], "y0": [1, 2]], ["y": [2, 4], "y0": [2, 4]]], state: [2, 4]),
  ]

  /// Nested branches. The innermost adds `x` to the state.
  private static func nested(_ depth: Int, of most: Int = 8) -> String {
    let level = most - depth
    guard depth > 0 else {
      return """
        tensor<fp32, [2]> a = read_state(input = s);
        tensor<fp32, [2]> y\(level) = add(x = a, y = x);
        write_state(input = s, data = y\(level));
        """
    }
    return """
      tensor<fp32, [2]> y\(level) = cond(pred = p)
        block() { \(nested(depth - 1, of: most)) } -> (y\(level + 1))
        block() { tensor<fp32, [2]> n\(level) = exp(x = x); } -> (n\(level));
      """
  }

  @Test(arguments: programs, [true, false]) func blocksUseStatesInPlace(_ program: Program, fused: Bool) throws {
    let parsed = try EngineTests.engine(program.text).function
    let engine = Engine(function: parsed, devices: DeviceChoice(threads: 2, allowsFusion: fused))
    let states = try StateBuffers(types: engine.stateTypes)
    for (input, expected) in zip(program.inputs, program.results) {
      #expect(try Self.run(engine, input, states) == expected)
    }
    #expect(try states.read("s").doubles() == program.state)
    let plan = try engine.plan(for: engine.inputTypes)
    #expect(ControlFlowTests.flows(plan).first?.made == program.made)
  }

  /// Separate states accumulate separate sums.
  @Test(arguments: programs) func statesAreApart(_ program: Program) throws {
    let engine = try EngineTests.engine(program.text)
    let (first, second) = (try StateBuffers(types: engine.stateTypes), try StateBuffers(types: engine.stateTypes))
    for (input, expected) in zip(program.inputs, program.results) {
      #expect(try Self.run(engine, input, first) == expected)
      #expect(try Self.run(engine, input, second) == expected)
    }
    #expect(try first.read("s").doubles() == program.state)
    #expect(try second.read("s").doubles() == program.state)
  }

  /// A value that was read from a state before a write keeps its content.
  @Test func aStateThatWasReadIsNotWrittenOver() throws {
    let program = Self.programs[2]
    let engine = try EngineTests.engine(program.text)
    let states = try StateBuffers(types: engine.stateTypes)
    _ = try Self.run(engine, program.inputs[0], states)
    let kept = try states.read("s")
    #expect(try Self.run(engine, program.inputs[1], states) == program.results[1])
    #expect(try kept.doubles() == [15, 150])
  }

  /// The body of a loop extends a state in place and copies none of it.
  @Test func aLoopExtendsACacheInPlace() throws {
    let engine = try EngineTests.engine(
      """
      (state<tensor<fp32, [64, 2]>> cache, tensor<fp32, [1, 2]> row) {
        int32 n = while_loop(loop_vars = (int32(0)))
          block(int32 i) { bool more = less(x = i, y = int32(3)); } -> (more)
          block(int32 i) {
            int32 j = add(x = i, y = int32(1));
            tensor<int32, [2]> begin = stack(values = (i, int32(0)), axis = int32(0));
            tensor<int32, [2]> end = stack(values = (j, int32(2)), axis = int32(0));
            tensor<fp32, [64, 2]> old = read_state(input = cache);
            tensor<fp32, [64, 2]> new = slice_update(x = old, update = row, begin = begin, end = end);
            write_state(input = cache, data = new);
          } -> (j);
        tensor<fp32, [64, 2]> y = read_state(input = cache);
      } -> (y)
      """)
    let flow = try #require(ControlFlowTests.flows(try engine.plan(for: engine.inputTypes)).first)
    let body = try #require(flow.plans.first { $0.name == "body" }).plan
    #expect(body.arenaBytes[0] < 64 * 2 * 4)
    #expect(body.externals.map(\.role) == [.state("cache")])
    let found = try EngineTests.run(engine, ["row": Tensor(float32: [5, 6], shape: [1, 2])])
    #expect(found["y"]?.prefix(8) == [5, 6, 5, 6, 5, 6, 0, 0])
  }

  /// A step copies the old value out of a state before a kernel computes in the state's memory.
  @Test func aLateReadSeesWhatIsThereUntilTheWrite() throws {
    let engine = try EngineTests.engine(
      """
      (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
        tensor<fp32, [2]> a = read_state(input = s);
        tensor<fp32, [2]> b = add(x = a, y = x);
        tensor<fp32, [2]> c = read_state(input = s);
        write_state(input = s, data = b);
        tensor<fp32, [2]> y = mul(x = c, y = fp32(10));
      } -> (y)
      """)
    let states = try StateBuffers(types: engine.stateTypes)
    #expect(try Self.run(engine, [1, 2], states) == ["y": [0, 0]])
    #expect(try Self.run(engine, [3, 4], states) == ["y": [10, 20]])
    #expect(try states.read("s").doubles() == [4, 6])
  }

  /// A result that was computed in the state's memory is still read when the next result is computed.
  @Test func aResultInAStateIsReadUntilTheNextWrite() throws {
    let engine = try EngineTests.engine(
      """
      (state<tensor<fp32, [2]>> s, tensor<fp32, [2]> x) {
        tensor<fp32, [2]> a = read_state(input = s);
        tensor<fp32, [2]> b = add(x = a, y = x);
        write_state(input = s, data = b);
        tensor<fp32, [2]> c = read_state(input = s);
        tensor<fp32, [2]> d = mul(x = c, y = fp32(10));
        tensor<fp32, [2]> y = add(x = b, y = d);
        write_state(input = s, data = d);
        tensor<fp32, [2]> e = read_state(input = s);
        tensor<fp32, [2]> f = add(x = e, y = x);
        write_state(input = s, data = f);
      } -> (y)
      """)
    let states = try StateBuffers(types: engine.stateTypes)
    #expect(try Self.run(engine, [1, 2], states) == ["y": [11, 22]])
    #expect(try Self.run(engine, [0, 1], states) == ["y": [121, 253]])
    #expect(try states.read("s").doubles() == [110, 231])
  }

  private static func run(
    _ engine: Engine, _ input: [Float], _ states: StateBuffers
  ) throws -> [String: [Double]] {
    let x = Value.tensor(Tensor(float32: input, shape: [input.count]))
    return try engine.run(["x": x], states: states, shouldStop: { false }) { outputs in
      try Dictionary(uniqueKeysWithValues: outputs.map { ($0.name, try $0.value.tensor?.doubles() ?? []) })
    }
  }
}
