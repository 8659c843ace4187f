import TestSupport
import Testing

@testable import CoreMLKernels

/// Matrix products compared with three plain loops.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLProductTests {
  struct Shape {
    var m: Int
    var n: Int
    var k: Int
    var transposeA = false
    var transposeB = false
    var bias = CLMatrixProduct.Bias.none
    var sizes: [Int] = []
    /// Whether an operand is broadcast along every batch axis.
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
    // Tiles: smaller than one, exactly one, ragged, K larger than a slice, and K = 0.
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

  /// Rows whose lengths are multiples of four, and others. Each factor along and across K. K of a few slices, and of
  /// less than one.
  @Test(arguments: CLTile.all) func everyTile(_ tile: CLTile) throws {
    guard tile.fits(try OpenCLHarness.context().device) else { return }
    for (transposeA, transposeB, ragged, parts) in [
      (false, false, 1, 1), (true, true, 1, 2), (false, true, 0, 1), (true, false, 0, 2), (true, true, 0, 1),
    ] {
      let shape = CLMatrixProduct.Shape(
        m: tile.m + 4 - ragged, n: tile.n + 8 - ragged, k: tile.k * 3 + 4 - ragged, transposeA: transposeA,
        transposeB: transposeB, bias: .columns)
      try expectTile(tile, shape, parts: parts)
    }
    try expectTile(tile, CLMatrixProduct.Shape(m: 5, n: 3, k: 2, bias: .rows), f16: [.first, .second, .result])
    try expectTile(tile, CLMatrixProduct.Shape(m: 12, n: 8, k: 36, transposeB: true), f16: [.first, .second])
  }

  private func expectTile(_ tile: CLTile, _ shape: CLMatrixProduct.Shape, parts: Int = 1, f16: F16Operands = .none)
    throws
  {
    let context = try OpenCLHarness.context()
    let (m, n, k) = (shape.m, shape.n, shape.k)
    let (a, b) = (OpenCLHarness.numbers(m * k), OpenCLHarness.numbers(k * n, seed: 2))
    let bias = OpenCLHarness.numbers(max(m, n), seed: 3)
    func upload(_ numbers: [Float], _ which: F16Operands) throws -> OpenCLMemory {
      // The operand starts at a vector's alignment. Its rows may be aligned or not.
      f16.contains(which)
        ? try OpenCLHarness.upload(numbers.map { Float16($0) }, padding: 8)
        : try OpenCLHarness.upload(numbers, padding: 4)
    }
    let (x, y, z) = (try upload(a, .first), try upload(b, .second), try OpenCLHarness.upload(bias))
    let product = try CLMatrixProduct(context, shape, by: .tiles, f16: f16, tile: tile, parts: parts)
    let scratch = try context.makeBuffer(byteCount: CLParts.bytes(parts, shape)).memory
    func run<T: BitwiseCopyable>(_ initial: T) throws -> [T] {
      try OpenCLHarness.run(m * n, initial: initial) {
        try product.enqueue(on: $0, a: x, b: y, bias: shape.bias == .none ? nil : z, c: $1, scratch: scratch)
      }
    }
    let found = f16.contains(.result) ? try run(Float16.nan).map { Float($0) } : try run(Float.nan)
    let (left, right) = (
      f16.contains(.first) ? a.map { Float(Float16($0)) } : a,
      f16.contains(.second) ? b.map { Float(Float16($0)) } : b
    )
    let expected = (0..<m * n).map { place -> Float in
      let (i, j) = (place / n, place % n)
      var sum: Float = 0
      for term in 0..<k {
        let x = left[shape.transposeA ? term * m + i : i * k + term]
        sum += x * right[shape.transposeB ? j * k + term : term * n + j]
      }
      return sum + (shape.bias == .none ? 0 : bias[shape.bias == .rows ? i : j])
    }
    OpenCLHarness.expectClose(
      found, expected, tolerance: f16.contains(.result) ? 1e-3 : 2e-5, "\(tile): \(shape), \(parts) parts")
  }

  /// 64-bit indices. Only tensors too large for a test's memory need them.
  @Test func longIndices() throws {
    let context = try OpenCLHarness.context()
    let shape = CLMatrixProduct.Shape(m: 35, n: 44, k: 40, transposeB: true)
    let (a, b) = (OpenCLHarness.numbers(35 * 40), OpenCLHarness.numbers(40 * 44, seed: 2))
    let tile = try CLTile(context.device, shape)
    let index = CLSizes(1 << 31)
    let own = ["INDEX": index.definition, "TRANSPOSE_B": "1"]
    let kernel = try context.kernel(
      "product", of: CLFunction.identity.ending("tile", front: "tile_slice", for: "matmul"),
      tile.definitions(for: context.device).merging(own) { $1 })
    let size = try tile.sizes(m: 35, n: 44, batches: 1)
    let launch = try kernel.launch(
      [.floats("a", a.count), .floats("b", b.count), .floats("bias", 0), .floats("add", 0), .floats("c", 35 * 44)]
        + CLTile.parameters(index, m: 35, n: 44, k: 40, shape.batch), global: size.global, local: size.local)
    let (x, y) = (try OpenCLHarness.upload(a), try OpenCLHarness.upload(b))
    let found = try OpenCLHarness.run(35 * 44) { try launch.enqueue(on: $0, x, y, x, x, $1) }
    let expected = (0..<35 * 44).map { place -> Float in
      let (i, j) = (place / 44 * 40, place % 44 * 40)
      var sum: Float = 0
      for term in 0..<40 { sum += a[i + term] * b[j + term] }
      return sum
    }
    OpenCLHarness.expectClose(found, expected, tolerance: 2e-5)
  }

  /// Large tiles if there are enough for all compute units, otherwise more and smaller tiles, and K-split if those are
  /// still too few.
  @Test func tilesByHowMuchThereIs() throws {
    func tile(_ m: Int, _ n: Int, _ k: Int) throws -> CLTile {
      try #require(CLTile.fastest(units: 132, CLMatrixProduct.Shape(m: m, n: n, k: k)))
    }
    #expect(try tile(4096, 4096, 4096).m * tile(4096, 4096, 4096).n >= 128 * 128)
    let small = try tile(128, 768, 768)
    #expect(128 / small.m * (768 / small.n) >= 66)
    #expect(try tile(32, 100_000, 64).m == 32)
    let shape = CLMatrixProduct.Shape(m: 64, n: 64, k: 8192)
    let one = try #require(CLTile.fastest(units: 132, shape)).microseconds(units: 132, shape)
    let eight = try #require(CLTile.fastest(units: 132, shape, parts: 8)).microseconds(units: 132, shape, parts: 8)
    #expect(eight < one)
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
