import Foundation
import MIL
import Testing

@testable import CoreMLKernels

/// The one driver for all rows of all operations: every case goes through the reference, which must agree with recorded truth,
/// and through every row that accepts it, which must agree with the reference.
@Suite struct DifferentialTests {
  @Test func everyRowAgreesWithTheReference() throws {
    var covered: Set<String> = []
    for test in try Case.all() {
      let outcome = try run(test)
      covered.formUnion(outcome)
      for row in test.rows where !outcome.contains("\(test.operation)/\(row)") {
        Issue.record("\(test.name): the row \(row) did not take the case")
      }
    }
    let missing = KernelTable.pairs.filter { $0.row.device == .cpu }.map { "\($0.operation)/\($0.row.name)" }
      .filter { !covered.contains($0) }
    #expect(missing.isEmpty, "(operation, row) pairs without a case: \(missing.joined(separator: ", "))")
  }

  /// Runs a case through every row; gives the pairs that ran.
  private func run(_ test: Case) throws -> Set<String> {
    let operation = Operation(
      test.operation, inputs: test.inputs.mapValues { $0.map { .literal($0.value) } },
      outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
    let types = test.inputs.mapValues { $0.map(\.value.type) }
    let full = Invocation(
      operation: operation, inputTypes: types, values: test.inputs.mapValues { $0.map { $0.value } })
    let reference: [Value]
    do { reference = try References.evaluate(full) } catch {
      Issue.record("\(test.name): the reference threw \(error)")
      return []
    }
    var covered: Set<String> = []
    if let expected = test.expected {
      for (index, value) in expected.enumerated() {
        compare(
          reference.indices.contains(index) ? reference[index] : nil, value, test, "the reference's output \(index)")
      }
    }
    covered.insert("\(test.operation)/reference")
    let planned = Invocation(
      operation: operation, inputTypes: types,
      values: test.inputs.mapValues { $0.map { $0.isConstant ? $0.value : nil } })
    let outputs = reference.compactMap(\.tensor?.type)
    guard outputs.count == reference.count else { return covered }
    let site = Site(invocation: planned, outputs: outputs, threads: 2)
    for row in KernelTable.rows(for: test.operation, on: .cpu) where row.name != "reference" {
      do {
        let offer = try row.offer(site)
        let results = try CPUHarness.run(offer, site: site, inputs: test.inputs.mapValues { $0.map(\.value) })
        for (index, value) in reference.enumerated() {
          compare(.tensor(results[index]), value, test, "\(row.name)'s output \(index)")
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

  private func compare(_ found: Value?, _ expected: Value, _ test: Case, _ what: String) {
    if case .list(let items, _)? = found, case .list(let others, _) = expected, items.count == others.count {
      for (index, other) in others.enumerated() { compare(items[index], other, test, "\(what), element \(index),") }
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
      if !same && !(abs(a[index] - b[index]) <= test.atol + test.rtol * abs(b[index])) {
        Issue.record("\(test.name): \(what) is \(a[index]) at \(index), expected \(b[index])")
        return
      }
    }
  }
}
