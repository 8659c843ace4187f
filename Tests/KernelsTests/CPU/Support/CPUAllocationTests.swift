import AllocationCount
import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Running a CPU kernel allocates no memory. Its scratch memory was allocated when it was prepared. The list names
/// exceptions in a debug build. Most are kernels whose shapes are known only at run time, because they create their
/// copies in each run. A few others are kernels that no network runs often.
@Suite(.enabled(if: AllocationCount.isOn, "a sanitizer has its own allocator"))
struct CPUAllocationTests {
  @Test func rowsAreRunWithoutMemory() throws {
    var run: Set<String> = []
    var takers: [String: Int] = [:]
    for test in try Case.all() where test.refused == nil {
      let rows = KernelRegistry.implementations(for: test.operation, on: .cpu).filter { $0.name != "reference" }
      guard rows.contains(where: { !run.contains("\(test.operation)/\($0.name)") }) else { continue }
      let operation = Operation(
        test.operation, inputs: test.inputs.mapValues { $0.map { .literal($0.value) } },
        outputs: [NamedType("y", .tensor(TensorType(.float32, [Int]())))])
      let types = test.inputs.mapValues { $0.map(\.value.type) }
      let full = Invocation(
        operation: operation, inputTypes: types, values: test.inputs.mapValues { $0.map { $0.value } })
      let planned = Invocation(
        operation: operation, inputTypes: types,
        values: test.inputs.mapValues { $0.map { $0.isConstant ? $0.value : nil } })
      guard let outputs = try? Operations.definition(of: operation).outputTypes(full).map(\.tensor),
        outputs.allSatisfy({ $0?.isConcrete == true })
      else { continue }
      let problem = KernelProblem(invocation: planned, outputs: outputs.compactMap { $0 }, threads: 2)
      for row in rows where !run.contains("\(test.operation)/\(row.name)") {
        guard let candidate = try? row.match(problem) else { continue }
        guard
          let count = try? CPUHarness.allocations(
            candidate, problem: problem, inputs: test.inputs.mapValues { $0.map(\.value) })
        else { continue }
        run.insert("\(test.operation)/\(row.name)")
        if count > 0 { takers["\(test.operation)/\(row.name)"] = count }
      }
    }
    #expect(run.count > 100, "only \(run.count) rows were run")
    let known = try String(contentsOf: Checkout.cases.appending(path: "rows-that-allocate.txt"), encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    let others = takers.filter { !known.contains($0.key) && !(Self.openBLASTakesMemory && isOfOpenBLAS($0.key)) }
    #expect(others.isEmpty, "rows that take memory, and how often: \(others.sorted { $0.key < $1.key })")
    let mended = known.filter { takers[$0] == nil }
    #expect(mended.isEmpty, "rows of the list that take none: \(mended)")
  }

  /// Whether the kernel calls OpenBLAS for its products.
  private func isOfOpenBLAS(_ pair: String) -> Bool {
    [
      "conv.im2col", "conv.im2col.tiles", "conv.pointwise", "conv_transpose.gemm", "linear.gemm", "matmul.gemm",
      "einsum.gemm",
    ]
    .contains { pair.hasSuffix("/\($0)") }
  }

  /// On some processors OpenBLAS allocates memory for each small product of certain sizes. No kernel can avoid that.
  private static let openBLASTakesMemory = {
    let numbers = [Float](repeating: 1, count: 200 * 200)
    var result = numbers
    return numbers.withUnsafeBufferPointer { a in
      result.withUnsafeMutableBufferPointer { c in
        guard let a = a.baseAddress, let c = c.baseAddress else { return false }
        let sizes = [3, 20, 70, 200]
        for (m, n) in sizes.flatMap({ m in sizes.map { (m, $0) } }) {
          for (k, beta) in sizes.flatMap({ [($0, Float(0)), ($0, Float(1))] }) {
            func multiply() {
              BLAS.multiply(a, lda: 200, a, ldb: 200, c, ldc: 200, m: m, n: n, k: k, beta: beta)
            }
            multiply()
            if AllocationCount.count(multiply) > 0 { return true }
          }
        }
        return false
      }
    }
  }()
}
