import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Kernels that are generated for a chain of functions.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLPointwiseTests {
  private typealias Operand = CLPointwise.Operand
  private typealias Step = CLPointwise.Step

  /// tanh(x) times a row's factor plus a column's term, clamped from above. The tensor has somewhat more than twice as
  /// many elements as a work-group.
  @Test(arguments: [false, true]) func chainsRepeatWhatIsBroadcast(f16: Bool) throws {
    let (rows, columns) = (13, 41)
    let x = OpenCLHarness.numbers(rows * columns)
    let (factor, term) = (OpenCLHarness.numbers(rows, seed: 2), OpenCLHarness.numbers(columns, seed: 3))
    let steps = [
      Step(function: try CLFunction("tanh"), name: "tanh", arguments: [.value(0)]),
      Step(function: nil, name: "mul", arguments: [.value(1), .step(0)]),
      Step(function: nil, name: "add", arguments: [.step(1), .value(2)]),
      Step(function: nil, name: "minimum", arguments: [.step(2), .value(3)]),
      Step(function: try CLFunction("linear_activation", alpha: 2, beta: -0.5), name: "l", arguments: [.step(3)]),
    ]
    let launch = try CLPointwise(
      OpenCLHarness.context(),
      [
        Operand(sizes: [rows, columns], isF16: f16), Operand(sizes: [rows, 1], isF16: false),
        Operand(sizes: [columns], isF16: f16), Operand(sizes: [], isF16: false),
      ], Operand(sizes: [rows, columns], isF16: false), steps, for: "a test")
    func upload(_ values: [Float], _ isF16: Bool) throws -> OpenCLMemory {
      isF16 ? try OpenCLHarness.upload(values.map { Float16($0) }) : try OpenCLHarness.upload(values)
    }
    let inputs = [
      try upload(x, f16), try upload(factor, false), try upload(term, f16), try upload([0.25], false),
    ]
    let found = try OpenCLHarness.run(x.count) { queue, output in
      // Slots are in another order than the operands.
      let frame = OpenCLFrame(queue: queue, inputs: inputs.reversed(), outputs: [output], scratch: nil)
      try launch.enqueue(frame, [3, 2, 1, 0])
    }
    let expected = x.indices.map { index -> Float in
      let sum = factor[index / columns] * tanh(x[index]) + term[index % columns]
      return 2 * min(sum, 0.25) - 0.5
    }
    OpenCLHarness.expectClose(found, expected, tolerance: f16 ? 4e-3 : 1e-5)
  }

  @Test func theResultMayTakeAnOperandsPlace() throws {
    let x = OpenCLHarness.numbers(700)
    let steps = [
      Step(function: try CLFunction("square"), name: "square", arguments: [.value(0)]),
      Step(function: nil, name: "sub", arguments: [.step(0), .value(0)]),
    ]
    let whole = Operand(sizes: [700], isF16: false)
    let launch = try CLPointwise(OpenCLHarness.context(), [whole], whole, steps, for: "a test")
    let memory = try OpenCLHarness.upload(x)
    let queue = try OpenCLHarness.context().makeQueue()
    try launch.enqueue(OpenCLFrame(queue: queue, inputs: [memory], outputs: [memory], scratch: nil), [0])
    try queue.finish()
    OpenCLHarness.expectClose(
      try OpenCLHarness.download(memory, as: Float(0), on: queue), x.map { $0 * $0 - $0 })
  }

  @Test func whatNoLaunchTakesIsRefused() throws {
    let one = Operand(sizes: [2], isF16: false)
    let steps = [Step(function: nil, name: "no_such_function", arguments: [.value(0), .value(0)])]
    #expect(throws: KernelError.self) { try CLPointwise.check([one], steps) }
    let sum = [Step(function: nil, name: "add", arguments: [.value(0), .value(1)])]
    #expect(throws: KernelError.self) {
      try CLPointwise.check(Array(repeating: one, count: CLPointwise.most + 1), sum)
    }
    #expect(throws: KernelError.self) {
      _ = try CLPointwise(
        OpenCLHarness.context(), [Operand(sizes: [3], isF16: false), one], one, sum, for: "a test")
    }
  }
}
