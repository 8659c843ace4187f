import MIL
import TestSupport
import Testing

@testable import CoreMLKernels

/// Products of a few rows with stored weights in every encoding, compared with plain loops over the decoded weights.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLStoredTests {
  /// Sizes with four, two and one weight rows per work-item, and sizes where several work-items share a row.
  @Test(arguments: [(150, 48), (70, 96), (40, 64), (12, 1040), (3, 8)])
  func everyEncodingGivesWhatItsNumbersGive(rows: Int, columns: Int) throws {
    for (number, encoded) in try StoredMatrixTests.encodings(rows: rows, columns: columns, seed: rows + columns)
      .enumerated()
    {
      // In a simulator, every encoding runs once.
      guard !OpenCLHarness.isSimulated || rows == 12 || rows == 40 && number % 4 == 0 else { continue }
      let counts = OpenCLHarness.isSimulated ? [2] : [1, 3, 9]
      try expectProduct(encoded, m: counts[number % counts.count], n: rows, k: columns, endsInF16: number % 2 == 0)
    }
  }

  @Test func aFewRowsOfHalves() throws {
    let encoded = try #require(
      StoredMatrixTests.encodings(rows: 21, columns: 80, seed: 3).first { $0.name == "fp16" })
    for m in OpenCLHarness.isSimulated ? [3] : Array(1...CLStoredProduct.mostRows) {
      try expectProduct(encoded, m: m, n: 21, k: 80, endsInF16: m % 2 == 0)
    }
  }

  /// Warps process several column blocks if there are many columns.
  @Test func manyColumns() throws {
    let columns = 32 * (try OpenCLHarness.context().device.computeUnits)
    let rows = 2 * columns + 5
    let encodings = try StoredMatrixTests.encodings(rows: rows, columns: 32, seed: 5)
    for encoded in encodings where !OpenCLHarness.isSimulated {
      try expectProduct(encoded, m: 7, n: rows, k: 32, endsInF16: true)
    }
  }

  /// The kernel refuses rows whose length is not a multiple of eight, and more than a few rows.
  @Test func whatIsRefused() throws {
    let device = try OpenCLHarness.context().device
    #expect(CLStoredProduct.refusal(m: 1, n: 4, k: 12, on: device) != nil)
    #expect(CLStoredProduct.refusal(m: 17, n: 4, k: 16, on: device) != nil)
    #expect(CLStoredProduct.refusal(m: 1, n: 4, k: 0, on: device) != nil)
  }

  private func expectProduct(
    _ encoded: StoredMatrixTests.Encoded, m: Int, n: Int, k: Int, endsInF16: Bool
  ) throws {
    let context = try OpenCLHarness.context()
    let (weight, store) = (encoded.weight, WeightStore())
    let matrix: CLStoredProduct.Matrix
    if let coded = QuantizedMatrix(weight, columns: k) {
      matrix = try coded.withParts { parts in
        let memory = try store.coded(weight, parts, on: context)
        #expect(memory.codes.byteCount <= n * k, "\(encoded.name)")
        return CLStoredProduct.Matrix(parts, codes: memory.codes, numbers: memory.numbers, columns: k)
      }
    } else {
      matrix = CLStoredProduct.Matrix(f16: try store.f16(of: weight, on: context))
    }
    let x = OpenCLHarness.numbers(m * k).map { Float16($0) }
    let bias = OpenCLHarness.numbers(n, seed: 2)
    let add = OpenCLHarness.numbers(m * n, seed: 3)
    let f16: F16Operands = endsInF16 ? [.first, .result] : .none
    // Also by warps, if fp16 represents the weights exactly.
    let warps = OpenCLHarness.isSimulated ? .plain : context.features.warps(for: .storedProducts) ?? .plain
    let isTried = endsInF16 && matrix.isExactInF16 && (!OpenCLHarness.isSimulated || k < 100)
    let ways: [CLWarps?] = isTried ? [nil, warps] : [nil]
    let products = try ways.map { way in
      try CLStoredProduct(
        context, matrix, m: m, n: n, k: k, f16: f16, hasBias: true, hasAdd: true,
        then: CLFunction("leaky_relu", alpha: 0.25), by: way)
    }
    // Aligned and unaligned.
    let padding = m % 2 == 1 ? 8 : 3
    let a =
      endsInF16
      ? try OpenCLHarness.upload(x, padding: padding)
      : try OpenCLHarness.upload(x.map { Float($0) }, padding: padding)
    let (z, w) = (try OpenCLHarness.upload(bias), try OpenCLHarness.upload(add))
    let numbers = try weight.dense().doubles()
    var expected: [Float] = []
    // The rounding error is relative to the products, which may be larger than their sum.
    var largest = 1.0
    for i in 0..<m {
      for j in 0..<n {
        var (sum, size) = (Double(bias[j]) + Double(add[i * n + j]), 1.0)
        for term in 0..<k {
          let product = Double(x[i * k + term]) * numbers[j * k + term]
          sum += product
          size += abs(product)
        }
        largest = max(largest, size)
        expected.append(Float(sum < 0 ? sum * 0.25 : sum))
      }
    }
    let tolerance = Float(largest) * 1e-6 + (endsInF16 ? 1e-3 : 0)
    for (product, way) in zip(products, ways) {
      func run(_ queue: OpenCLQueue, _ y: OpenCLMemory) throws {
        try product.enqueue(on: queue, a: a, bias: z, add: w, c: y)
      }
      let found: [Float]
      if endsInF16 {
        let numbers: [Float16] = try OpenCLHarness.run(m * n, initial: .nan, run)
        found = numbers.map { Float($0) }
      } else {
        found = try OpenCLHarness.run(m * n, run)
      }
      let name = "\(encoded.name), \(m) x \(n) x \(k), \(way?.rawValue ?? "no") warps"
      OpenCLHarness.expectClose(found, expected, tolerance: tolerance, name)
    }
  }
}
