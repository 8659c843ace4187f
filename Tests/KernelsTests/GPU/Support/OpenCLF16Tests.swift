import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Kernels that match fp16, with the cases of the differential driver. Runtime inputs, results or both are fp16.
/// Kernels agree with the fp32 reference implementation on the same values within the final rounding.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLF16Tests {
  /// Arguments that are known at run time.
  private static let arguments: Set<String> = [
    "a", "add", "attn_mask", "b", "data", "key", "mask", "query", "update", "updates", "value", "values", "x", "y",
  ]

  private enum Variant: CaseIterable {
    case all, arguments, results
  }

  @Test func rowsAgreeInHalves() throws {
    var covered: [String: Int] = [:]
    for test in try Case.all() where test.refused == nil {
      let rows = KernelRegistry.implementations(for: test.operation, on: .openCL)
      for form in Variant.allCases {
        // For mixed precision, one case per kernel is enough.
        let wanted = rows.filter { implementation in
          form == .all || implementation.mixesPrecisions
            ? covered["\(test.operation)/\(implementation.name) \(form)", default: 0] < (form == .all ? 2 : 1) : false
        }
        guard !wanted.isEmpty, let problem = try Self.problem(test, form) else { continue }
        for implementation in wanted {
          guard try run(implementation, problem, test) else { continue }
          covered["\(test.operation)/\(implementation.name) \(form)", default: 0] += 1
        }
      }
    }
    let pairs = KernelRegistry.pairs.filter { $0.implementation.device == .openCL && $0.implementation.mixesPrecisions }
    let missing = pairs.map { "\($0.operation)/\($0.implementation.name)" }.filter { covered["\($0) all"] == nil }
    // No fp16 case exists for operations on Booleans.
    let hasWarps = try OpenCLHarness.context().features.hasWarpProducts
    // Nor for kernels whose factors are not fp16. `OpenCLStoredTests` covers warp-level products of several rows with
    // stored weights.
    let real = missing.filter {
      !$0.hasPrefix("logical_") && !$0.hasSuffix(".tf32") && (hasWarps || !$0.contains(".mma."))
        && !$0.contains(".wgmma.") && !$0.hasSuffix(".mma.stored")
    }
    #expect(real.isEmpty, "no fp16 case: \(real.joined(separator: ", "))")
  }

  private struct F16Problem {
    let problem: KernelProblem
    let inputs: [String: [Value]]
    let reference: [Value]
  }

  private static func problem(_ test: Case, _ form: Variant) throws -> F16Problem? {
    var (rounded, stored) = (test.inputs.mapValues { $0.map(\.value) }, test.inputs.mapValues { $0.map(\.value) })
    var named = Operation(
      test.operation, inputs: [:], outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    var weights: [String: StoredWeight] = [:]
    var found = false
    for (parameter, inputs) in test.inputs {
      for (index, input) in inputs.enumerated() {
        named.inputs[parameter, default: []].append(.name("\(parameter) \(index)"))
        if let weight = input.stored { weights["\(parameter) \(index)"] = weight }
        guard !input.isConstant, input.stored == nil, arguments.contains(parameter), let tensor = input.value.tensor,
          tensor.scalar == .float32
        else { continue }
        found = true
        let half = try tensor.converted(to: .float16)
        let wide = try half.converted(to: .float32)
        rounded[parameter]?[index] = .tensor(wide)
        stored[parameter]?[index] = .tensor(form == .results ? wide : half)
      }
    }
    guard found else { return nil }
    let full = Invocation(
      operation: Operation(
        test.operation, inputs: rounded.mapValues { $0.map { .literal($0) } }, outputs: named.outputs),
      inputTypes: rounded.mapValues { $0.map(\.type) }, values: rounded.mapValues { $0.map { $0 } })
    guard let reference = try? References.evaluate(full) else { return nil }
    let types = reference.compactMap(\.tensor?.type)
    guard types.count == reference.count, form == .all || types.contains(where: { $0.scalar == .float32 }) else {
      return nil
    }
    let known = test.inputs.mapValues { $0.map { $0.isConstant ? $0.value : nil } }
    return F16Problem(
      problem: KernelProblem(
        invocation: Invocation(operation: named, inputTypes: stored.mapValues { $0.map(\.type) }, values: known),
        outputs: types.map { $0.scalar == .float32 && form != .arguments ? $0.with(scalar: .float16) : $0 }, threads: 2,
        openCL: try OpenCLHarness.context(), weights: weights), inputs: stored, reference: reference)
  }

  /// Whether the kernel matches the problem. Its results are compared.
  private func run(_ implementation: KernelImplementation, _ half: F16Problem, _ test: Case) throws -> Bool {
    let candidate: Candidate
    do { candidate = try implementation.match(half.problem) } catch is Refusal { return false }
    let results = try OpenCLRowHarness.run(candidate, problem: half.problem, inputs: half.inputs)
    for (index, value) in half.reference.enumerated() {
      let expected = try #require(value.tensor).doubles()
      let found = try results[index].doubles()
      let isF16 = results[index].scalar == .float16
      for place in expected.indices {
        let (a, b) = (found[place], isF16 ? Double(Float16(expected[place])) : expected[place])
        let slack = test.atol + test.rtol * abs(b) + (isF16 ? abs(b) / 1024 + 1e-6 : 0)
        if a == b || (a.isNaN && b.isNaN) || (b.isFinite && abs(a - b) <= slack) { continue }
        Issue.record("\(test.name): \(implementation.name)'s output \(index) is \(a) at \(place), expected \(b)")
        break
      }
    }
    return true
  }
}
