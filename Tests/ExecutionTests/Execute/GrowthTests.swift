import CoreMLSpec
import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLExecution

/// Small files whose planning and prediction must not take long.
@Suite struct GrowthTests {
  /// From the function to a plan's memory, with values that live for one step and with values that all live to the end.
  @Test(arguments: [false, true]) func manyOperationsArePlannedInTheTimeOfTheirSum(areKept: Bool) throws {
    func seconds(_ count: Int) throws -> Double {
      var text = "(tensor<fp32, [1, 8]> x) { tensor<fp32, [1, 8]> t0 = exp(x = x);"
      for index in 1..<count {
        let call = index.isMultiple(of: 2) ? "tanh" : "sin"
        text += "tensor<fp32, [1, 8]> t\(index) = \(call)(x = t\(areKept ? 0 : index - 1));"
      }
      let all = (0..<count).map { "t\($0)" }.joined(separator: ", ")
      text +=
        areKept
        ? "tensor<fp32, [\(count), 8]> y = concat(values = (\(all)), axis = int32(0)); } -> (y)"
        : "tensor<fp32, [1, 8]> y = cos(x = t\(count - 1)); } -> (y)"
      let times = try (0..<2).map { _ in
        let engine = try EngineTests.engine(text)
        return try ThreadTime.seconds { _ = try engine.plan(for: engine.inputTypes) }
      }
      return times.min() ?? 0
    }
    let (few, many) = (try seconds(300), try seconds(2400))
    #expect(many < 24 * few, "300 operations \(few) s, 2,400 \(many) s")
  }

  /// Concatenation runs once, not once per part.
  @Test func manyPartsAreJoinedInTheTimeOfTheirSum() throws {
    func seconds(_ count: Int) throws -> Double {
      let parts = (0..<count).map { Value.tensor(Tensor(int32: [$0, $0 + 1, $0 + 2], shape: [3])) }
      let operation = Operation(
        "concat", inputs: ["values": parts.map { .literal($0) }, "axis": [.int(0)]],
        outputs: [NamedType("y", .tensor(TensorType(.int32, [3 * count])))])
      let function = Function(inputs: [], opset: "CoreML8", body: Block(operations: [operation], outputs: ["y"]))
      let times = try (0..<2).map { _ in
        try ThreadTime.seconds {
          let joined = try EngineTests.run(Engine(function: function, devices: DeviceChoice(threads: 1)), [:])["y"]
          #expect(joined?.suffix(2) == [Double(count), Double(count + 1)])
        }
      }
      return times.min() ?? 0
    }
    let (few, many) = (try seconds(2_000), try seconds(16_000))
    #expect(many < 24 * few, "2,000 parts \(few) s, 16,000 \(many) s")
  }

  /// An empty constant whose shape has two billion rows. No stage may iterate over its rows.
  @Test(arguments: [
    "relu(x = c)", "softmax(x = c, axis = int32(0))", "softmax(x = c, axis = int32(1))", "add(x = c, y = c)",
    "transpose(x = c, perm = tensor<int32, [2]>([1, 0]))", "cumsum(x = c, axis = int32(0))",
    "fill_like(ref_tensor = c)",
    "argsort(x = c, axis = int32(0))", "layer_norm(x = c, axes = tensor<int32, [1]>([1]))",
    "concat(values = (c, c), axis = int32(1))", "reverse(x = c)", "cast(x = c, dtype = string(\"int32\"))",
    "reduce_sum(x = c, axes = tensor<int32, [1]>([0]), keep_dims = bool(true))",
    "gather(x = c, indices = tensor<int32, [2]>([0, 1]), axis = int32(0))",
    "linear(x = c, weight = tensor<fp32, [0, 0]>([]))", "tile(x = c, reps = tensor<int32, [2]>([1, 2]))",
  ])
  func rowsOfNothingAreNotWalked(call: String) throws {
    let seconds = try ThreadTime.seconds {
      let engine = try EngineTests.engine(
        """
        (tensor<fp32, [?, ?]> x) {
          tensor<fp32, [2147483647, 0]> c = const()[val = tensor<fp32, [2147483647, 0]>([])];
          tensor<\(call.hasPrefix("argsort") || call.hasPrefix("cast") ? "int32" : "fp32"), [?, ?]> y = \(call);
          tensor<\(call.hasPrefix("argsort") || call.hasPrefix("cast") ? "int32" : "fp32"), [?, ?]> z = \(call.replacingOccurrences(of: "c,", with: "x,").replacingOccurrences(of: "= c)", with: "= x)"));
        } -> (y, z)
        """)
      let x = try Tensor.zeros(.float32, shape: [2_147_483_647, 0])
      let result = try EngineTests.run(engine, ["x": x])
      #expect(result["y"] == [])
    }
    #expect(seconds < 10)
  }
}
