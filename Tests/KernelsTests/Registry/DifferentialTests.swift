import CKernels
import Foundation
import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// The driver for all kernels of all operations. Every case runs through the reference implementation, which must agree
/// with the recorded results. It also runs through every kernel that matches it, which must agree with the reference
/// implementation.
@Suite struct DifferentialTests {
  @Test func everyRowAgreesWithTheReference() throws {
    var covered: Set<String> = []
    for test in try Case.all() {
      guard let prepared = prepare(test) else { continue }
      covered.insert("\(test.operation)/reference")
      let outcome = run(test, prepared, on: .cpu)
      covered.formUnion(outcome)
      let elsewhere = Set(KernelRegistry.implementations(for: test.operation, on: .openCL).map(\.name))
      expect(outcome, tookBy: test.rows.filter { !elsewhere.contains($0) }, test)
    }
    expectCovered(covered, on: .cpu)
  }

  /// OpenCL kernels run a few cases each and those that name them, because the driver spends most of the time on
  /// building programs.
  @Test(.tags(.driver), .unlessQuick, .needsOpenCL) func everyOpenCLRowAgreesWithTheReference() throws {
    var covered: [String: Int] = [:]
    for test in try Case.all() {
      let rows = KernelRegistry.implementations(for: test.operation, on: .openCL)
      let named = test.rows.filter { name in rows.contains { $0.name == name } }
      let isWanted = rows.contains { covered["\(test.operation)/\($0.name)", default: 0] < Self.openCLCases }
      guard isWanted || !named.isEmpty, test.refused == nil, let prepared = prepare(test) else { continue }
      let outcome = run(test, prepared, on: .openCL)
      expect(outcome, tookBy: named, test)
      for pair in outcome { covered[pair, default: 0] += 1 }
    }
    expectCovered(Set(covered.keys), on: .openCL)
  }

  /// Operations outside of a plan: the cheapest kernel for dense values runs, and shapes of inputs are known only at
  /// run time.
  @Test func whatRunsOutsideOfPlansAgreesWithTheReference() throws {
    let pool = ThreadPool(threads: 2)
    for test in try Case.all() {
      guard test.refused == nil, let prepared = prepare(test) else { continue }
      var operation = prepared.operation
      for (parameter, inputs) in test.inputs {
        for (index, input) in inputs.enumerated() where !input.isConstant {
          operation.inputs[parameter]?[index] = .name("\(parameter) \(index)")
        }
      }
      let call = Invocation(
        operation: operation, inputTypes: test.inputs.mapValues { $0.map(\.value.type) },
        values: test.inputs.mapValues { $0.map { $0.value } })
      for constancy in [KernelRegistry.Constancy.everything, .literals] {
        do {
          let results = try KernelRegistry.evaluate(call, pool: pool, constancy: constancy)
          for (index, value) in prepared.reference.enumerated() {
            compare(
              results.indices.contains(index) ? results[index] : nil, value, test,
              "output \(index) (\(constancy) constant)")
          }
        } catch {
          Issue.record("\(test.name): outside of a plan (\(constancy) constant) it threw \(error)")
        }
      }
    }
  }

  private static let openCLCases = 3
  /// The suffix of kernels that require low precision to be allowed and supported by the processor.
  private static let lowPrecision = ".bf16"
  private static func isLow(_ row: String) -> Bool { row.hasSuffix(lowPrecision) || row.hasSuffix(".tf32") }

  private func expect(_ outcome: Set<String>, tookBy rows: [String], _ test: Case) {
    for row in rows where !outcome.contains("\(test.operation)/\(row)") {
      Issue.record("\(test.name): the row \(row) did not take the case")
    }
  }

  private func expectCovered(_ covered: Set<String>, on device: DeviceKind) {
    let missing = KernelRegistry.pairs.filter { $0.implementation.device == device }.map {
      "\($0.operation)/\($0.implementation.name)"
    }
    .filter { ck_int8_supported() || !$0.hasSuffix(".int8") }
    .filter { !covered.contains($0) && (ck_low_precision_supported() || !$0.hasSuffix(Self.lowPrecision)) }
    // Kernels that only match fp16 have their cases in `OpenCLF16Tests`. Few devices have warp groups: see
    // `WarpProductTests` and `WarpProductPlanTests`.
    .filter { !$0.contains(".wgmma.") }
    .filter { !$0.contains(".mma.") || ($0.hasSuffix(".tf32") && OpenCLHarness.hasWarpFloats) }
    #expect(missing.isEmpty, "(operation, row) pairs without a case: \(missing.joined(separator: ", "))")
  }

  private struct Prepared {
    let operation: MIL.Operation
    let reference: [Value]
    /// The case as kernels see it: only constants have values.
    let planned: Invocation
    /// Its constants in stored encodings.
    let weights: [String: StoredWeight]
  }

  /// The reference implementation's results, after comparing them with the recorded results.
  private func prepare(_ test: Case) -> Prepared? {
    let operation = Operation(
      test.operation, inputs: test.inputs.mapValues { $0.map { .literal($0.value) } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let types = test.inputs.mapValues { $0.map(\.value.type) }
    let full = Invocation(
      operation: operation, inputTypes: types, values: test.inputs.mapValues { $0.map { $0.value } })
    let reference: [Value]
    do { reference = try References.evaluate(full) } catch {
      if let words = test.refused, "\(error)".contains(words) { return nil }
      Issue.record("\(test.name): the reference threw \(error)")
      return nil
    }
    if let words = test.refused { Issue.record("\(test.name): not refused, expected a sentence with '\(words)'") }
    for (index, value) in (test.expected ?? []).enumerated() {
      compare(
        reference.indices.contains(index) ? reference[index] : nil, value, test, "the reference's output \(index)")
    }
    var named = operation
    var weights: [String: StoredWeight] = [:]
    for (parameter, inputs) in test.inputs {
      for (index, input) in inputs.enumerated() {
        guard let weight = input.stored else { continue }
        named.inputs[parameter]?[index] = .name("\(parameter) \(index)")
        weights["\(parameter) \(index)"] = weight
      }
    }
    let planned = Invocation(
      operation: named, inputTypes: types,
      values: test.inputs.mapValues { $0.map { $0.isConstant ? $0.value : nil } })
    return Prepared(operation: operation, reference: reference, planned: planned, weights: weights)
  }

  /// Runs a case through every kernel of a device. Returns the (operation, kernel) pairs that ran.
  private func run(_ test: Case, _ prepared: Prepared, on device: DeviceKind) -> Set<String> {
    var covered: Set<String> = []
    let outputs = prepared.reference.compactMap(\.tensor?.type)
    guard outputs.count == prepared.reference.count else { return covered }
    let inputs = test.inputs.mapValues { $0.map(\.value) }
    let context = device == .openCL ? try? OpenCLHarness.context() : nil
    for row in KernelRegistry.implementations(for: test.operation, on: device) where row.name != "reference" {
      let isLow = Self.isLow(row.name)
      let problem = KernelProblem(
        invocation: prepared.planned, outputs: outputs, threads: 2, openCL: context, allowsLowPrecision: isLow,
        weights: prepared.weights)
      do {
        let candidate = try row.match(problem)
        let results =
          device == .cpu
          ? try CPUHarness.run(candidate, problem: problem, inputs: inputs)
          : try OpenCLRowHarness.run(candidate, problem: problem, inputs: inputs)
        for (index, value) in prepared.reference.enumerated() {
          // Winograd transforms enlarge values before rounding, and bf16 has eight significant bits.
          let largest = isLow ? value.tensor.flatMap { try? $0.doubles() }?.map(abs).max() ?? 0 : 0
          let slack = row.name.hasPrefix("conv.winograd") ? 1e-3 : 1e-2 * largest
          compare(.tensor(results[index]), value, test, "\(row.name)'s output \(index)", slack: slack)
        }
        covered.insert("\(test.operation)/\(row.name)")
      } catch is Refusal {
        continue
      } catch {
        Issue.record("\(test.name): \(row.name) threw \(error)")
      }
    }
    return covered
  }

  private func compare(_ found: Value?, _ expected: Value, _ test: Case, _ what: String, slack: Double = 0) {
    if case .list(let items, _)? = found, case .list(let others, _) = expected, items.count == others.count {
      for (index, other) in others.enumerated() { compare(items[index], other, test, "\(what), element \(index),") }
      return
    }
    if case .dictionary(let pairs, _, _)? = found, case .dictionary(let others, _, _) = expected {
      let (keys, otherKeys) = (sorted(pairs), sorted(others))
      #expect(keys.map(\.0) == otherKeys.map(\.0), "\(test.name): \(what)")
      for (pair, other) in zip(keys, otherKeys) { compare(pair.1, other.1, test, "\(what), key \(other.0),") }
      return
    }
    guard let found = found?.tensor, let expected = expected.tensor else {
      Issue.record("\(test.name): \(what) is not a tensor")
      return
    }
    guard found.shape == expected.shape else {
      Issue.record("\(test.name): \(what) has the shape \(found.shape), expected \(expected.shape)")
      return
    }
    if expected.scalar == .string {
      #expect((try? found.strings()) == (try? expected.strings()), "\(test.name): \(what)")
      return
    }
    let a = (try? found.doubles()) ?? []
    let b = (try? expected.doubles()) ?? []
    for index in b.indices {
      let same = a[index] == b[index] || (a[index].isNaN && b[index].isNaN)
      let slack = slack + test.atol + test.rtol * abs(b[index])
      if !same && !(b[index].isFinite && abs(a[index] - b[index]) <= slack) {
        Issue.record("\(test.name): \(what) is \(a[index]) at \(index), expected \(b[index])")
        return
      }
    }
  }

  private func sorted(_ pairs: [(key: Value, value: Value)]) -> [(String, Value)] {
    pairs.map { pair in
      let key = pair.key.tensor
      let words = (try? key?.strings()) ?? (try? key?.ints())?.map { "\($0)" } ?? []
      return (words.first ?? "?", pair.value)
    }.sorted { $0.0 < $1.0 }
  }
}
