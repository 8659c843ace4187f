import CoreMLKernels
import MIL
import Testing

@testable import CoreMLExecution

/// Any order of reads, writes, kernels, branches and loops on two states: a plan gives the results of sequential
/// execution.
@Suite struct StateOrderTests {
  /// A program of random operations, generated from a seed.
  private struct Writer {
    private var seed: UInt64
    private var count = 0

    init(seed: Int) { self.seed = UInt64(seed) &* 2_654_435_761 &+ 99 }

    private mutating func number(_ bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }

    private mutating func fresh() -> String {
      count += 1
      return "v\(count)"
    }

    /// Picks a recent value, and mostly removes it from the list, so that kernels can reuse its memory.
    private mutating func pick(_ names: inout [String]) -> String {
      let place = names.count - 1 - number(min(names.count, 3))
      guard names.count > 2, number(5) > 0 else { return names[place] }
      return names.remove(at: place)
    }

    /// Operations that read values of `names` and add their results to it.
    private mutating func operations(_ amount: Int, _ names: inout [String], depth: Int) -> String {
      var lines: [String] = []
      for _ in 0..<amount {
        let (state, name) = (["s", "t"][number(2)], fresh())
        switch number(depth < 2 ? 11 : 7) {
        case 0, 1: lines.append("tensor<fp32, [2]> \(name) = read_state(input = \(state));")
        case 2, 3:
          lines.append("write_state(input = \(state), data = \(pick(&names)));")
          continue
        case 4: lines.append("tensor<fp32, [2]> \(name) = sub(x = \(pick(&names)), y = \(pick(&names)));")
        case 5: lines.append("tensor<fp32, [2]> \(name) = mul(x = \(pick(&names)), y = fp32(0.5));")
        case 6: lines.append("tensor<fp32, [2]> \(name) = sin(x = \(pick(&names)));")
        case 7, 8:
          // The written value is computed from the read value, with other operations in between.
          let (result, other) = (fresh(), fresh())
          lines.append("tensor<fp32, [2]> \(name) = read_state(input = \(state));")
          lines.append("tensor<fp32, [2]> \(result) = sub(x = \(name), y = x);")
          lines.append(operations(2, &names, depth: depth + 1))
          lines.append("write_state(input = \(state), data = \(result));")
          lines.append("tensor<fp32, [2]> \(other) = cos(x = \(pick(&names)));")
          names += [other, result]
          continue
        case 9:
          let first = block(names, depth)
          let second = block(names, depth)
          lines.append("tensor<fp32, [2]> \(name) = cond(pred = p) \(first) \(second);")
        default:
          let (i, h, n) = (fresh(), fresh(), fresh())
          var inner = names + [h]
          let body = operations(3, &inner, depth: depth + 1)
          lines.append(
            """
            int32 \(n), tensor<fp32, [2]> \(name) = while_loop(loop_vars = (int32(0), \(pick(&names))))
              block(int32 \(i), tensor<fp32, [2]> \(h)) { bool m\(n) = less(x = \(i), y = int32(2)); } -> (m\(n))
              block(int32 \(i), tensor<fp32, [2]> \(h)) { \(body) int32 j\(n) = add(x = \(i), y = int32(1)); }
                -> (j\(n), \(pick(&inner)));
            """)
        }
        names.append(name)
      }
      return lines.joined(separator: "\n")
    }

    private mutating func block(_ names: [String], _ depth: Int) -> String {
      var inner = names
      let body = operations(3, &inner, depth: depth + 1)
      return "block() { \(body) } -> (\(pick(&inner)))"
    }

    mutating func program() -> String {
      var names = ["x"]
      let body = operations(14, &names, depth: 0)
      let results = Set((0..<3).map { _ in pick(&names) }).sorted()
      return """
        (state<tensor<fp32, [2]>> s, state<tensor<fp32, [2]>> t, tensor<fp32, [2]> x) {
          fp32 sum = reduce_sum(x = x, keep_dims = bool(false));
          bool p = greater(x = sum, y = fp32(0));
          \(body)
        } -> (\(results.joined(separator: ", ")))
        """
    }
  }

  @Test(arguments: 0..<80) func plansKeepTheOrder(seed: Int) throws {
    var writer = Writer(seed: seed)
    let text = writer.program()
    let engine = try EngineTests.engine(text)
    let body = engine.function.body
    let (planned, plain) = (try StateBuffers(types: engine.stateTypes), try StateBuffers(types: engine.stateTypes))
    for input in [[0.5, 1], [-2, 1], [1, 0.25]] as [[Float]] {
      let x = Value.tensor(Tensor(float32: input, shape: [2]))
      let expected = try Interpreter(pool: engine.pool, states: plain).run(
        Block(
          inputs: [NamedType("x", x.type)], operations: body.operations, outputs: body.outputs),
        inputs: [x], [:])
      let found = try engine.run(["x": x], states: planned, shouldStop: { false }) {
        try $0.map { try $0.value.detached() }
      }
      for (wanted, other) in zip(expected + Self.values(plain), found + Self.values(planned)) {
        let (a, b) = (try #require(try wanted.tensor?.doubles()), try #require(try other.tensor?.doubles()))
        #expect(zip(a, b).allSatisfy { abs($0 - $1) <= 1e-5 * max(1, abs($0)) }, "\(b) is not \(a) in \(text)")
      }
    }
  }

  private static func values(_ states: StateBuffers) -> [Value] {
    ["s", "t"].compactMap { try? .tensor(states.read($0)) }
  }
}
