import Testing

@testable import CoreMLKernels

/// Products of matrices against three plain loops.
@MainActor @Suite(.needsOpenCL) struct OpenCLProductTests {
  struct Shape {
    var m: Int
    var n: Int
    var k: Int
    var transposeA = false
    var transposeB = false
    var bias = CLMatrixProduct.Bias.none
    var sizes: [Int] = []
    /// Whether an operand repeats in every dimension of the batch.
    var sharesA = false
    var sharesB = false

    var form: CLMatrixProduct.Shape {
      let packed = Places.strides(sizes)
      return CLMatrixProduct.Shape(
        m: m, n: n, k: k, transposeA: transposeA, transposeB: transposeB,
        batch: .init(
          sizes: sizes, a: packed.map { sharesA ? 0 : $0 * m * k }, b: packed.map { sharesB ? 0 : $0 * k * n }),
        bias: bias)
    }
  }

  @Test(arguments: [
    // Tiles: smaller than one, exactly one, ragged, deeper than a slice, empty depth.
    Shape(m: 5, n: 7, k: 3), Shape(m: 32, n: 32, k: 16), Shape(m: 33, n: 65, k: 17, bias: .columns),
    Shape(m: 70, n: 31, k: 40, bias: .rows), Shape(m: 6, n: 9, k: 0, bias: .rows),
    Shape(m: 37, n: 18, k: 21, transposeA: true), Shape(m: 37, n: 18, k: 21, transposeB: true),
    Shape(m: 9, n: 34, k: 19, transposeA: true, transposeB: true, bias: .columns),
    Shape(m: 7, n: 6, k: 5, sizes: [2, 3]), Shape(m: 7, n: 6, k: 5, sizes: [3, 2], sharesA: true),
    Shape(m: 7, n: 6, k: 5, bias: .columns, sizes: [2, 1, 2, 2], sharesB: true),
    // Few rows or one column.
    Shape(m: 1, n: 70, k: 90), Shape(m: 1, n: 33, k: 70, transposeB: true, bias: .columns),
    Shape(m: 3, n: 40, k: 1100, transposeB: true), Shape(m: 4, n: 35, k: 1030, bias: .columns),
    Shape(m: 1, n: 5, k: 6, transposeA: true), Shape(m: 2, n: 5, k: 9, transposeA: true),
    Shape(m: 50, n: 1, k: 33, bias: .rows), Shape(m: 50, n: 1, k: 33, transposeA: true),
    Shape(m: 9, n: 1, k: 12, transposeB: true, bias: .columns), Shape(m: 1, n: 1, k: 3),
    Shape(m: 1, n: 20, k: 30, transposeB: true, sizes: [2, 2], sharesA: true), Shape(m: 0, n: 3, k: 2),
  ])
  func products(_ shape: Shape) throws {
    var ways: [CLMatrixProduct.Way] = []
    for way in CLMatrixProduct.Way.allCases where shape.form.refusal(of: way) == nil {
      ways.append(way)
      try expectProduct(shape, by: way)
    }
    #expect(ways.contains(.tiles))
    if shape.m <= 4 && !shape.transposeA && shape.bias != .rows { #expect(ways.contains(.vector)) }
  }

  private func expectProduct(_ shape: Shape, by way: CLMatrixProduct.Way) throws {
    let context = try OpenCLHarness.context()
    let batches = shape.sizes.reduce(1, *)
    let a = OpenCLHarness.numbers((shape.sharesA ? 1 : batches) * shape.m * shape.k)
    let b = OpenCLHarness.numbers((shape.sharesB ? 1 : batches) * shape.k * shape.n, seed: 2)
    let bias = OpenCLHarness.numbers(shape.bias == .rows ? shape.m : shape.n, seed: 3)
    let count = batches * shape.m * shape.n
    let add = OpenCLHarness.numbers(count, seed: 4)
    let product = try CLMatrixProduct(
      context, shape.form, by: way, hasAdd: true, then: CLFunction("leaky_relu", alpha: 0.25))
    let (x, y, z) = (try OpenCLHarness.upload(a), try OpenCLHarness.upload(b), try OpenCLHarness.upload(bias))
    let w = try OpenCLHarness.upload(add)
    let found = try OpenCLHarness.run(count) {
      try product.enqueue(on: $0, a: x, b: y, bias: shape.bias == .none ? nil : z, add: w, c: $1)
    }
    var expected: [Float] = []
    for number in 0..<batches {
      let (a0, b0) = (shape.sharesA ? 0 : number * shape.m * shape.k, shape.sharesB ? 0 : number * shape.k * shape.n)
      for i in 0..<shape.m {
        for j in 0..<shape.n {
          var sum = shape.bias == .none ? 0 : Double(bias[shape.bias == .rows ? i : j])
          for k in 0..<shape.k {
            let left = a[a0 + (shape.transposeA ? k * shape.m + i : i * shape.k + k)]
            let right = b[b0 + (shape.transposeB ? j * shape.k + k : k * shape.n + j)]
            sum += Double(left) * Double(right)
          }
          sum += Double(add[expected.count])
          expected.append(Float(sum < 0 ? sum * 0.25 : sum))
        }
      }
    }
    OpenCLHarness.expectClose(found, expected, tolerance: 2e-5, "\(way): \(shape)")
  }

  @Test(arguments: CLTile.all) func everyTile(_ tile: CLTile) throws {
    let context = try OpenCLHarness.context()
    guard context.device.maxWorkGroupSize >= tile.items else { return }
    let (m, n, k) = (tile.m + 3, tile.n + 2, tile.k * 2 + 1)
    let (a, b) = (OpenCLHarness.numbers(m * k), OpenCLHarness.numbers(k * n, seed: 2))
    let (x, y) = (try OpenCLHarness.upload(a), try OpenCLHarness.upload(b))
    let product = try CLMatrixProduct(
      context, CLMatrixProduct.Shape(m: m, n: n, k: k), by: .tiles, tile: tile)
    let found = try OpenCLHarness.run(m * n) { try product.enqueue(on: $0, a: x, b: y, c: $1) }
    let expected = (0..<m * n).map { place -> Float in
      (0..<k).reduce(0) { $0 + a[place / n * k + $1] * b[$1 * n + place % n] }
    }
    OpenCLHarness.expectClose(found, expected, "\(tile)")
  }

  @Test func batchesAreBroadcast() throws {
    let batch = try CLMatrixProduct.Batch(a: [2, 1, 3], matrixA: 10, b: [4, 1], matrixB: 7, output: [2, 4, 3])
    #expect(batch == CLMatrixProduct.Batch(sizes: [2, 4, 3], a: [30, 0, 10], b: [0, 7, 0]))
    let plain = try CLMatrixProduct.Batch(a: [2, 3, 4], matrixA: 5, b: [2, 3, 4], matrixB: 6, output: [2, 3, 4])
    #expect(plain == CLMatrixProduct.Batch(sizes: [24], a: [5], b: [6]))
    #expect(throws: KernelError.self) {
      try CLMatrixProduct.Batch(a: [2], matrixA: 1, b: [3], matrixB: 1, output: [3])
    }
  }

  @Test func memoryThatIsTooSmallIsAnError() throws {
    let context = try OpenCLHarness.context()
    let product = try CLMatrixProduct(context, .init(m: 4, n: 4, k: 4, transposeA: true), by: .tiles)
    let queue = try context.makeQueue()
    let whole = try context.makeBuffer(byteCount: 64).memory
    let part = try whole.range(byteOffset: 0, byteCount: 60)
    #expect(throws: KernelError.self) { try product.enqueue(on: queue, a: part, b: whole, c: whole) }
    #expect(throws: KernelError.self) { try product.enqueue(on: queue, a: whole, b: whole, c: part) }
    #expect(throws: KernelError.self) { try product.enqueue(on: queue, a: whole, b: whole, bias: whole, c: whole) }
    #expect(throws: KernelError.self) { try CLMatrixProduct(context, .init(m: .max, n: .max, k: 1), by: .tiles) }
    #expect(throws: KernelError.self) { try CLMatrixProduct(context, .init(m: -1, n: 1, k: 1), by: .tiles) }
    #expect(throws: KernelError.self) { try product.enqueue(on: queue, a: whole, b: whole, add: whole, c: whole) }
    #expect(throws: KernelError.self) { try CLMatrixProduct(context, .init(m: 40, n: 2, k: 1), by: .vector) }
  }
}
