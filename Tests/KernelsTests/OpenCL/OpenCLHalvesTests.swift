import Foundation
import MIL
import Testing

@testable import CoreMLKernels

/// Rows that take halves, with the cases of the differential driver: what run time gives are halves, or the results, or both. They agree with
/// the reference of the same numbers in single precision, but for the last rounding.
@MainActor @Suite(.needsOpenCL) struct OpenCLHalvesTests {
  /// Arguments that run time gives.
  private static let arguments: Set<String> = [
    "a", "add", "attn_mask", "b", "data", "key", "mask", "query", "update", "updates", "value", "values", "x", "y",
  ]

  private enum Form: CaseIterable {
    case all, arguments, results
  }

  @Test func rowsAgreeInHalves() throws {
    var covered: [String: Int] = [:]
    for test in try Case.all() where test.refused == nil {
      let rows = KernelTable.rows(for: test.operation, on: .openCL)
      for form in Form.allCases {
        // Where it mixes, a row has all there is to it in one case.
        let wanted = rows.filter { row in
          form == .all || row.mixesHalves
            ? covered["\(test.operation)/\(row.name) \(form)", default: 0] < (form == .all ? 2 : 1) : false
        }
        guard !wanted.isEmpty, let site = try Self.site(test, form) else { continue }
        for row in wanted {
          guard try run(row, site, test) else { continue }
          covered["\(test.operation)/\(row.name) \(form)", default: 0] += 1
        }
      }
    }
    let pairs = KernelTable.pairs.filter { $0.row.device == .openCL && $0.row.mixesHalves }
    let missing = pairs.map { "\($0.operation)/\($0.row.name)" }.filter { covered["\($0) all"] == nil }
    // Booleans of booleans, and rows that only move.
    let hasWarps = try OpenCLHarness.context().features.hasWarpProducts
    // And rows whose factors are no halves. Products of several rows with stored weights by warps are in `OpenCLStoredTests`.
    let real = missing.filter {
      !$0.hasPrefix("logical_") && !$0.hasSuffix(".tf32") && (hasWarps || !$0.contains(".mma."))
        && !$0.contains(".wgmma.") && !$0.hasSuffix(".mma.stored")
    }
    #expect(real.isEmpty, "no case in halves: \(real.joined(separator: ", "))")
  }

  private struct HalfSite {
    let site: Site
    let inputs: [String: [Value]]
    let reference: [Value]
  }

  private static func site(_ test: Case, _ form: Form) throws -> HalfSite? {
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
    return HalfSite(
      site: Site(
        invocation: Invocation(operation: named, inputTypes: stored.mapValues { $0.map(\.type) }, values: known),
        outputs: types.map { $0.scalar == .float32 && form != .arguments ? $0.with(scalar: .float16) : $0 }, threads: 2,
        openCL: try OpenCLHarness.context(), weights: weights), inputs: stored, reference: reference)
  }

  /// Whether the row takes the site; what it gives is compared.
  private func run(_ row: Row, _ half: HalfSite, _ test: Case) throws -> Bool {
    let offer: Offer
    do { offer = try row.offer(half.site) } catch is Refusal { return false }
    let results = try OpenCLRowHarness.run(offer, site: half.site, inputs: half.inputs)
    for (index, value) in half.reference.enumerated() {
      let expected = try #require(value.tensor).doubles()
      let found = try results[index].doubles()
      let isHalf = results[index].scalar == .float16
      for place in expected.indices {
        let (a, b) = (found[place], isHalf ? Double(Float16(expected[place])) : expected[place])
        let slack = test.atol + test.rtol * abs(b) + (isHalf ? abs(b) / 1024 + 1e-6 : 0)
        if a == b || (a.isNaN && b.isNaN) || (b.isFinite && abs(a - b) <= slack) { continue }
        Issue.record("\(test.name): \(row.name)'s output \(index) is \(a) at \(place), expected \(b)")
        break
      }
    }
    return true
  }
}
