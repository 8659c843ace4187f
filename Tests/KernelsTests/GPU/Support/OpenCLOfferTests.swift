import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// OpenCL kernels either match an operation that they were not made for or refuse it with an error message. They never
/// end the process.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLOfferTests {
  /// Every case, once with its constants known and once with types only.
  @Test func everyRowAnswersEveryCase() throws {
    var candidates = 0
    for test in try Case.all() where test.refused == nil {
      let tensors = test.inputs.mapValues { $0.map(\.value) }
      for knows in [true, false] {
        let known = test.inputs.mapValues { list in list.map { knows && $0.isConstant } }
        candidates += try answers(test, tensors, known)
      }
    }
    #expect(candidates > 500)
  }

  /// Tensors of the cases in other shapes: scalars, empty, one element, and with one more axis.
  @Test func everyRowAnswersOtherShapes() throws {
    var seen: [String: Int] = [:]
    var candidates = 0
    for test in try Case.all() where test.refused == nil {
      guard !KernelRegistry.implementations(for: test.operation, on: .openCL).isEmpty,
        seen[test.operation, default: 0] < 8
      else {
        continue
      }
      seen[test.operation, default: 0] += 1
      let known = test.inputs.mapValues { list in list.map(\.isConstant) }
      for change in Self.changes {
        var all = test.inputs.mapValues { $0.map(\.value) }
        for (parameter, list) in test.inputs {
          for (index, input) in list.enumerated() where !input.isConstant {
            guard let changed = try Self.with(input.value, change) else { continue }
            var one = test.inputs.mapValues { $0.map(\.value) }
            one[parameter]?[index] = changed
            all[parameter]?[index] = changed
            candidates += try answers(test, one, known)
          }
        }
        candidates += try answers(test, all, known)
      }
    }
    #expect(candidates > 200)
  }

  /// The candidate of an operation for operands of these sizes, whose values are unknown.
  private func candidate(_ operation: String, _ sizes: [String: [Int]], _ values: [String: Value] = [:]) throws
    -> Candidate
  {
    let types = sizes.mapValues { [ValueType.tensor(TensorType(.float32, $0))] }
      .merging(values.mapValues { [$0.type] }) { $1 }
    let made = Operation(
      operation, inputs: types.mapValues { _ in [.name("input")] },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let known = types.reduce(into: [String: [Value?]]()) { $0[$1.key] = [values[$1.key]] }
    let call = Invocation(operation: made, inputTypes: types, values: known)
    let outputs = try Operations.definition(of: made).outputTypes(call).compactMap(\.tensor)
    let row = try #require(KernelRegistry.implementations(for: operation, on: .openCL).first)
    return try row.match(
      KernelProblem(invocation: call, outputs: outputs, threads: 1, openCL: try OpenCLHarness.context()))
  }

  /// A layer of N steps needs N consecutive launches. With more than 4096, it runs on the CPU.
  @Test func recurrentLayersOfManyStepsAreRefused() throws {
    func candidate(_ operation: String, gates: Int, steps: Int) throws -> Candidate {
      var sizes = [
        "x": [steps, 1, 2], "initial_h": [1, 2], "weight_ih": [2 * gates, 2], "weight_hh": [2 * gates, 2],
      ]
      if operation == "lstm" { sizes["initial_c"] = [1, 2] }
      return try self.candidate(operation, sizes)
    }
    for (operation, gates, most) in [("rnn", 1, 4092), ("lstm", 4, 4092), ("gru", 3, 2046)] {
      #expect(try candidate(operation, gates: gates, steps: most).launches <= 4096)
      let refusal = #expect(throws: Refusal.self) { try candidate(operation, gates: gates, steps: most + 1) }
      #expect(refusal.map { "\($0)".contains("4096") } == true, "\(operation)")
    }
  }

  /// A single cumulative sum runs in one work-item, which is slower than thousands in parallel.
  @Test func runningSumsSayHowMuchOfTheDeviceIsAtWork() throws {
    func efficiency(_ sizes: [Int]) throws -> Double {
      try candidate("cumsum", ["x": sizes], ["axis": .tensor(Tensor(int32: [0], shape: []))]).efficiency
    }
    let (one, two, many) = (try efficiency([3, 1]), try efficiency([100_000, 2]), try efficiency([2, 100_000]))
    #expect(0 < one && one < two && two < many && many == 0.1, "\(one), \(two), \(many)")
  }

  private static let changes: [([Int]) -> [Int]] = [
    { _ in [] }, { _ in [1] }, { _ in [0] }, { [1] + $0 }, { $0 + [1] }, { Array($0.dropFirst()) },
    { $0.map { _ in 1 } }, { [0] + $0.dropFirst() }, { $0.dropLast() + [0] },
  ]

  private static func with(_ value: Value, _ shape: ([Int]) -> [Int]) throws -> Value? {
    guard let tensor = value.tensor, tensor.scalar != .string else { return nil }
    return .tensor(try Tensor.zeros(tensor.scalar, shape: shape(tensor.shape)))
  }

  /// Matches all kernels of an operation and returns how many match. Skips a call that the operation's own type rule
  /// refuses.
  private func answers(_ test: Case, _ values: [String: [Value]], _ known: [String: [Bool]]) throws -> Int {
    let operation = Operation(
      test.operation,
      inputs: values.mapValues { list in list.indices.map { .name("input \($0)") } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let types = values.mapValues { $0.map(\.type) }
    let full = Invocation(operation: operation, inputTypes: types, values: values.mapValues { $0.map { $0 } })
    guard let outputs = try? Operations.definition(of: operation).outputTypes(full).compactMap(\.tensor),
      !outputs.isEmpty, outputs.allSatisfy({ $0.isConcrete })
    else { return 0 }
    var planned: [String: [Value?]] = [:]
    for (parameter, list) in values {
      planned[parameter] = list.enumerated().map { known[parameter]?[$0.offset] == true ? $0.element : nil }
    }
    let problem = KernelProblem(
      invocation: Invocation(operation: operation, inputTypes: types, values: planned), outputs: outputs, threads: 1,
      openCL: try OpenCLHarness.context())
    var taken = 0
    for row in KernelRegistry.implementations(for: test.operation, on: .openCL) {
      do {
        _ = try row.match(problem)
        taken += 1
      } catch is Refusal {
      } catch let error as MILError where error.code == .unknownValue || (try? References.evaluate(full)) == nil {
        // The operation requires a constant that is not known here, or the arguments are invalid for every kernel.
      } catch { Issue.record("\(test.name): \(row.name) of \(types): \(error)") }
    }
    return taken
  }
}
