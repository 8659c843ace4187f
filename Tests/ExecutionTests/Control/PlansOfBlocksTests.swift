import CoreMLBase
import Synchronization
import Testing

@testable import CoreMLExecution
@testable import MIL

/// A plan that failed because of a cancellation is not cached as a failure.
@Suite struct PlansOfBlocksTests {
  /// The loop is the last operation, so nothing after it checks for cancellation.
  private static func engine() throws -> Engine {
    let row = "[" + (0..<64).map { "\(Double($0 % 9) / 90 - 0.04)" }.joined(separator: ", ") + "]"
    let weight = "[" + Array(repeating: row, count: 64).joined(separator: ", ") + "]"
    return try EngineTests.engine(
      """
      (tensor<fp32, [2, 64]> x) {
        tensor<fp32, [64, 64]> w = const()[val = tensor<fp32, [64, 64]>(\(weight))];
        int32 n, tensor<fp32, [2, 64]> y = while_loop(loop_vars = (int32(0), x))
          block(int32 i, tensor<fp32, [2, 64]> h) { bool more = less(x = i, y = int32(3)); } -> (more)
          block(int32 i, tensor<fp32, [2, 64]> h) {
            tensor<fp32, [2, 64]> p = linear(x = h, weight = w);
            tensor<fp32, [2, 64]> g = softsign(x = p);
            int32 j = add(x = i, y = int32(1));
          } -> (j, g);
      } -> (y)
      """)
  }

  /// The plan is cancelled at every point that checks for cancellation.
  @Test func aStoppedPlanIsMadeTheNextTime() throws {
    let engine = try Self.engine()
    var stops = 0
    while stops < 10_000 {
      let engine = try Self.engine()
      let asked = Atomic(0)
      let end = stops
      let cancellation = Cancellation { asked.add(1, ordering: .relaxed).newValue > end }
      let plan = try? cancellation.during { try engine.plan(for: engine.inputTypes) }
      let next = try engine.plan(for: engine.inputTypes)
      #expect(ControlFlowTests.flows(next).map(\.made) == [1], "stopped at question \(stops)")
      if plan != nil { break }
      stops += 1
    }
    // It was cancelled in the function, in the condition and in the body.
    #expect(stops > 10)
    #expect(try EngineTests.run(engine, ["x": Tensor.zeros(.float32, shape: [2, 64])])["y"]?.count == 128)
  }

  @Test func rowsThatCouldNotBePlannedAreTheNextTime() throws {
    var stops = 0
    while stops < 10_000 {
      let engine = try EngineTests.engine(
        "(tensor<fp32, [3]> x) { tensor<fp32, [3]> a = exp(x = x); tensor<fp32, [3]> y = sqrt(x = a); } -> (y)")
      let asked = Atomic(0)
      let end = stops
      let cancellation = Cancellation { asked.add(1, ordering: .relaxed).newValue > end }
      let first = try? cancellation.during { try engine.rows() }
      let runner = try #require(try engine.rows(), "stopped at question \(stops)")
      let many = cancellation.during { runner.session(rows: 32) }
      if let many { runner.give(many) }
      let session = try #require(runner.session(rows: 32), "stopped at question \(stops)")
      runner.give(session)
      if first != nil, many != nil { break }
      stops += 1
    }
    #expect(stops > 4)
  }
}
