import MIL
import Testing

@testable import CoreMLExecution
@testable import CoreMLRuntime

/// What the report of a plan says of its steps.
@Suite struct PlanReportTests {
  @Test func aLoopListsTheStepsOfItsBlocks() throws {
    let text = """
      (tensor<fp32, [4, 4]> x) {
        tensor<fp32, [4, 4]> w = const()[val = tensor<fp32, [4, 4]>([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])];
        int32 n, tensor<fp32, [4, 4]> y = while_loop(loop_vars = (int32(0), x))
          block(int32 i, tensor<fp32, [4, 4]> h) { bool more = less(x = i, y = int32(50)); } -> (more)
          block(int32 i, tensor<fp32, [4, 4]> h) {
            tensor<fp32, [4, 4]> p = linear(x = h, weight = w);
            tensor<fp32, [4, 4]> g = softsign(x = p);
            int32 j = add(x = i, y = int32(1));
          } -> (j, g);
      } -> (y)
      """
    let function = try #require(MILText.parse("program(1.3) { func main<ios18>\(text); }").functions["main"])
    let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
    let report = PlanReport(try engine.plan(for: engine.inputTypes), function: "main")
    let blocks = try #require(report.steps.first { $0.operation == "while_loop" }).blocks
    #expect(blocks.map(\.name) == ["condition", "body"])
    #expect(blocks[1].steps.contains { $0.operation.hasSuffix("linear") })
  }
}
