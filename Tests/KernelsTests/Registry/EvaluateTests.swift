import CoreMLBase
import MIL
import Testing

@testable import CoreMLKernels

/// Operations that run once, outside of a plan.
@Suite struct EvaluateTests {
  private let pool = ThreadPool(threads: 2)

  /// `x` [rows, 512] times a weight [512, 512] with the given binding.
  private func linear(_ rows: Int, _ weight: Binding, _ value: Tensor) throws -> Invocation {
    let x = Value.tensor(Tensor(float32: (0..<rows * 512).map { Float($0 % 7) - 3 }, shape: [rows, 512]))
    let operation = Operation(
      "linear", inputs: ["x": [.name("x")], "weight": [weight]],
      outputs: [NamedType("y", .tensor(TensorType(.float32, [rows, 512])))])
    return Invocation(
      operation: operation, inputTypes: ["x": [x.type], "weight": [.tensor(value.type)]],
      values: ["x": [x], "weight": [.tensor(value)]])
  }

  private var weight: Tensor { Tensor(float32: (0..<512 * 512).map { Float($0 % 5) - 2 }, shape: [512, 512]) }

  private func rows(_ call: Invocation, _ constancy: KernelRegistry.Constancy) throws -> [Evaluation.Choice] {
    let outputs = try Operations.definition(of: call.operation).outputTypes(call)
    let rows = KernelRegistry.implementations(for: "linear", on: .cpu).filter { $0.name != "reference" }
    return try Evaluation(call, outputs: outputs.compactMap(\.tensor), pool: pool, constancy: constancy).choices(
      rows, Operations.definition(of: call.operation).work(call, outputs: outputs))
  }

  /// Packing a weight for one row costs more than multiplying by it.
  @Test(arguments: [KernelRegistry.Constancy.everything, .literals])
  func weightsAreNotPackedForOneRow(constancy: KernelRegistry.Constancy) throws {
    for binding in [Binding.name("w"), .literal(.tensor(weight))] {
      let found = try rows(linear(1, binding, weight), constancy)
      #expect(found.first?.candidate.packed.isEmpty == true, "\(found.map(\.implementation))")
      #expect(found.map(\.cost) == found.map(\.cost).sorted())
    }
  }

  /// A name can refer to another value next time. It only counts as a constant for kernels that require one.
  @Test func namesAreNoConstants() throws {
    for choice in try rows(linear(64, .name("w"), weight), .literals) where choice.candidate.packed.isEmpty {
      #expect(choice.problem.operands.allSatisfy { $0.constant == nil })
    }
    let folded = try rows(linear(64, .name("w"), weight), .everything)
    #expect(folded.allSatisfy { $0.problem.operands.allSatisfy { $0.constant != nil } })
  }

  @Test(arguments: [1, 3, 64])
  func everyChoiceGivesTheSame(count: Int) throws {
    for binding in [Binding.name("w"), .literal(.tensor(weight))] {
      let call = try linear(count, binding, weight)
      let expected = try References.evaluate(call)[0].tensor?.doubles()
      for constancy in [KernelRegistry.Constancy.everything, .literals] {
        #expect(try KernelRegistry.evaluate(call, pool: pool, constancy: constancy)[0].tensor?.doubles() == expected)
      }
    }
  }

  /// Without memory for a kernel's scratch, the next kernel runs the operation. Without memory for the results, the
  /// evaluation throws.
  @Test func tooLittleMemoryIsAnError() throws {
    let call = try linear(64, .name("w"), weight)
    let error = #expect(throws: MILError.self) {
      try MemoryBudget(limit: 100_000).during { try KernelRegistry.evaluate(call, pool: pool) }
    }
    #expect(error?.code == .outOfMemory && error?.operation?.contains("linear 'y'") == true)
    let expected = try KernelRegistry.evaluate(call, pool: pool)[0].tensor?.doubles()
    let found = try MemoryBudget(limit: 200_000).during { try KernelRegistry.evaluate(call, pool: pool)[0].tensor }
    #expect(try found?.doubles() == expected)
  }
}
