import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// Planning an eight times larger program takes about eight times as long, in whichever respect the program is large.
@Suite struct PlanGrowthTests {
  enum Shape: String, CaseIterable, Sendable {
    case chain, fanOut, pictures, constants, outputs, branches, states, loops, arguments
  }

  /// A program with `count` items of the kind `shape`.
  static func text(_ shape: Shape, _ count: Int) -> String {
    var lines: [String] = []
    var inputs = "tensor<fp32, [2, 3]> x"
    var outputs = ["y"]
    let range = 0..<count
    func line(_ text: String) { lines.append(text) }
    func names(_ prefix: String) -> String { range.map { "\(prefix)\($0)" }.joined(separator: ", ") }
    switch shape {
    case .chain:
      line("tensor<fp32, [2, 3]> a0 = exp(x = x);")
      for i in range { line("tensor<fp32, [2, 3]> a\(i + 1) = \(i % 2 == 0 ? "softplus" : "sin")(x = a\(i));") }
      line("tensor<fp32, [2, 3]> y = relu(x = a\(count));")
    case .fanOut:
      for i in range { line("tensor<fp32, [2, 3]> a\(i) = softplus(x = x);") }
      line(
        "tensor<fp32, [\(2 * count), 3]> y = concat(values = (\(names("a"))), axis = int32(0), interleave = bool(false));"
      )
    case .pictures:
      // Operations that have NCHWc kernels and read one value.
      inputs = "tensor<fp32, [1, 16, 2, 2]> x"
      for i in range { line("tensor<fp32, [1, 16, 2, 2]> a\(i) = relu(x = x);") }
      line(
        "tensor<fp32, [\(count), 16, 2, 2]> y = concat(values = (\(names("a"))), axis = int32(0), interleave = bool(false));"
      )
    case .constants:
      line("tensor<fp32, [2, 3]> a0 = exp(x = x);")
      for i in range {
        line("tensor<fp32, [3]> c\(i) = const()[val = tensor<fp32, [3]>([\(i), 1, 2])];")
        line("tensor<fp32, [2, 3]> a\(i + 1) = maximum(x = a\(i), y = c\(i));")
      }
      line("tensor<fp32, [2, 3]> y = relu(x = a\(count));")
    case .outputs:
      for i in range { line("tensor<fp32, [2, 3]> a\(i) = softplus(x = x);") }
      outputs = range.map { "a\($0)" }
    case .branches:
      line("fp32 s = reduce_sum(x = x, keep_dims = bool(false));")
      line("bool p = greater(x = s, y = fp32(0));")
      line("tensor<fp32, [2, 3]> a0 = exp(x = x);")
      for i in range {
        line(
          """
          tensor<fp32, [2, 3]> a\(i + 1) = cond(pred = p)
            block() { tensor<fp32, [2, 3]> b\(i) = sin(x = a\(i)); } -> (b\(i))
            block() { tensor<fp32, [2, 3]> c\(i) = cos(x = a\(i)); } -> (c\(i));
          """)
      }
      line("tensor<fp32, [2, 3]> y = relu(x = a\(count));")
    case .states:
      inputs += ", state<tensor<fp32, [2, 3]>> s"
      for i in range {
        line("tensor<fp32, [2, 3]> r\(i) = read_state(input = s);")
        line("tensor<fp32, [2, 3]> a\(i) = add(x = r\(i), y = x);")
        line("write_state(input = s, data = a\(i));")
      }
      line("tensor<fp32, [2, 3]> y = read_state(input = s);")
    case .loops:
      line("tensor<fp32, [2, 4]> h0 = fill(shape = tensor<int32, [2]>([2, 4]), value = fp32(0));")
      inputs = "tensor<fp32, [5, 2, 3]> x"
      for i in range {
        line(
          """
          int32 n\(i), tensor<fp32, [2, 4]> h\(i + 1) = while_loop(loop_vars = (int32(0), h\(i)))
            block(int32 k\(i), tensor<fp32, [2, 4]> v\(i)) { bool m\(i) = less(x = k\(i), y = int32(5)); } -> (m\(i))
            block(int32 k\(i), tensor<fp32, [2, 4]> v\(i)) {
              tensor<fp32, [2, 3]> e\(i) = gather(x = x, indices = k\(i), axis = int32(0));
              tensor<fp32, [2, 7]> f\(i) = concat(values = (e\(i), v\(i)), axis = int32(1), interleave = bool(false));
              tensor<fp32, [2, 4]> g\(i) = linear(x = f\(i), weight = tensor<fp32, [4, 7]>([\(Self.rows)]));
              tensor<fp32, [2, 4]> w\(i) = tanh(x = g\(i));
              int32 j\(i) = add(x = k\(i), y = int32(1));
            } -> (j\(i), w\(i));
          """)
      }
      line("tensor<fp32, [2, 4]> y = relu(x = h\(count));")
    case .arguments:
      inputs = range.map { "tensor<fp32, [2, 3]> x\($0)" }.joined(separator: ", ")
      line(
        "tensor<fp32, [\(2 * count), 3]> y = concat(values = (\(names("x"))), axis = int32(0), interleave = bool(false));"
      )
    }
    return "(\(inputs)) {\n\(lines.joined(separator: "\n"))\n} -> (\(outputs.joined(separator: ", ")))"
  }

  private static let rows = Array(repeating: "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]", count: 4).joined(separator: ", ")

  @Test(arguments: Shape.allCases) func planningTakesTheTimeOfItsSum(_ shape: Shape) throws {
    let few = shape == .loops ? 20 : shape == .branches ? 60 : 200
    func seconds(_ count: Int) throws -> Double {
      let times = try (0..<2).map { _ in
        let engine = try EngineTests.engine(Self.text(shape, count))
        return try ThreadTime.seconds { _ = try engine.plan(for: engine.inputTypes) }
      }
      return times.min() ?? 0
    }
    let (small, large) = (try seconds(few), try seconds(8 * few))
    #expect(large < 24 * small, "\(shape): \(few) take \(small) s, \(8 * few) take \(large) s")
  }

  /// Nested blocks. The walk visits each block once or twice per enclosing block, and not once for every path.
  @Test(arguments: ["cond", "while_loop"]) func deepBlocksAreWalkedASmallNumberOfTimes(_ type: String) throws {
    func nested(_ depth: Int, _ level: Int = 0) -> String {
      guard level < depth else { return "tensor<fp32, [?, 2]> y\(level) = softplus(x = x);" }
      if type == "cond" {
        return """
          tensor<fp32, [?, 2]> y\(level) = cond(pred = p)
            block() { \(nested(depth, level + 1)) } -> (y\(level + 1))
            block() { tensor<fp32, [?, 2]> z\(level) = exp(x = x); } -> (z\(level));
          """
      }
      return """
        int32 n\(level), tensor<fp32, [?, 2]> y\(level) = while_loop(loop_vars = (int32(0), x))
          block(int32 i\(level), tensor<fp32, [?, 2]> v\(level)) { bool m\(level) = less(x = i\(level), y = int32(1)); } -> (m\(level))
          block(int32 i\(level), tensor<fp32, [?, 2]> v\(level)) {
            \(nested(depth, level + 1))
            int32 j\(level) = add(x = i\(level), y = int32(1));
          } -> (j\(level), y\(level + 1));
        """
    }
    let engine = try EngineTests.engine(
      """
      (tensor<fp32, [?, 2]> x) {
        fp32 s = reduce_sum(x = x, keep_dims = bool(false));
        bool p = greater(x = s, y = fp32(0));
        \(nested(60))
      } -> (y0)
      """)
    let x = Tensor(float32: [1, 2], shape: [1, 2])
    let seconds = try ThreadTime.seconds {
      let found = try EngineTests.run(engine, ["x": x])
      #expect(found["y0"]?.count == 2)
    }
    #expect(seconds < 10)
  }
}
