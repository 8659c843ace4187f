import TestSupport
import Testing

@testable import CoreMLKernels

/// Warp-level products compared with three plain loops. NVIDIA devices use PTX, and other devices OpenCL C versions of
/// the warp functions.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct WarpProductTests {
  private static func warps(inGroups: Bool = false) throws -> CLWarps {
    if OpenCLHarness.isSimulated { return .plain }
    let features = try OpenCLHarness.context().features
    if inGroups, !features.hasGroupProducts { return .plain }
    return try #require(
      try OpenCLHarness.context().features.warps(for: .products), "the device's products by warps are wrong")
  }

  /// A simulator uses the smallest tile and small shapes.
  private static let tile = OpenCLHarness.isSimulated ? CLWarpTile.all.last : nil

  struct Shape {
    var m: Int
    var n: Int
    var k: Int
    var transposeA = false
    var transposeB = false
    var bias = CLMatrixProduct.Bias.none
    var sizes: [Int] = []
    /// Elements before the factors, a multiple of a chunk or not.
    var padding = 8
  }

  @Test(arguments: [
    // One tile and less, whole and ragged chunks, several slices, aligned and unaligned.
    Shape(m: 64, n: 64, k: 32, transposeB: true), Shape(m: 64, n: 64, k: 32), Shape(m: 5, n: 7, k: 3, transposeB: true),
    Shape(m: 70, n: 72, k: 136, transposeB: true, bias: .columns), Shape(m: 70, n: 72, k: 136, bias: .rows),
    Shape(m: 40, n: 40, k: 24, transposeB: true), Shape(m: 40, n: 40, k: 24, transposeA: true),
    Shape(m: 72, n: 80, k: 40, transposeA: true), Shape(m: 72, n: 80, k: 40, transposeA: true, transposeB: true),
    Shape(m: 70, n: 72, k: 136, transposeB: true, padding: 3), Shape(m: 33, n: 65, k: 17, bias: .columns, padding: 1),
    Shape(m: 9, n: 34, k: 19, transposeA: true, transposeB: true, bias: .columns),
    Shape(m: 16, n: 8, k: 200, bias: .rows, sizes: [2, 3]), Shape(m: 6, n: 9, k: 0, bias: .rows),
    Shape(m: 0, n: 3, k: 2),
  ])
  func products(_ shape: Shape) throws {
    guard !OpenCLHarness.isSimulated || shape.m * shape.n * shape.k <= 40_000 else { return }
    for factors in CLWarpProduct.Factors.allCases {
      for half in OpenCLHarness.isSimulated ? [true] : [false, true] {
        try expectProduct(shape, of: factors, tile: Self.tile, endsInF16: half)
      }
    }
  }

  /// The same by warp groups: several slices, fewer than the prefetch distance, and less than one; partial tiles.
  /// Factors that start within a chunk use another code path.
  @Test(arguments: [
    Shape(m: 64, n: 64, k: 64, transposeB: true), Shape(m: 5, n: 7, k: 8, transposeB: true),
    Shape(m: 70, n: 72, k: 456, transposeB: true, bias: .columns), Shape(m: 130, n: 264, k: 136, bias: .rows),
    Shape(m: 72, n: 80, k: 40, transposeA: true, bias: .columns),
    Shape(m: 40, n: 33, k: 72, transposeA: true, transposeB: true),
    Shape(m: 70, n: 72, k: 136, transposeB: true, padding: 3), Shape(m: 16, n: 8, k: 200, bias: .rows, sizes: [2, 3]),
    Shape(m: 9, n: 24, k: 64, transposeB: true, sizes: [3]), Shape(m: 3, n: 8, k: 8, sizes: [2]),
  ])
  func products(inGroups shape: Shape) throws {
    guard !OpenCLHarness.isSimulated || shape.m * shape.n * shape.k <= 40_000 else { return }
    let warps = try Self.warps(inGroups: true)
    let device = try OpenCLHarness.context().device
    for factors in CLWarpProduct.Factors.allCases {
      let form = CLMatrixProduct.Shape(
        m: shape.m, n: shape.n, k: shape.k, transposeA: shape.transposeA, transposeB: shape.transposeB)
      guard CLGroupTile.refusal(of: form, factors) == nil else { continue }
      // Without the instructions, one tile per operand layout is enough, and the largest tiles are skipped.
      let tiles = CLGroupTile.all.filter {
        $0.takes(form) && $0.runs(by: warps, on: device) && (warps == .ptx || $0.stages < 8 && $0.n < 256)
      }
      #expect(!tiles.isEmpty)
      for tile in OpenCLHarness.isSimulated ? Array(tiles.suffix(1)) : tiles {
        try expectProduct(shape, of: factors, endsInF16: factors == .f16, group: tile)
      }
    }
  }

  /// The check that decides whether a device can use warp groups.
  @Test func groupsAreRight() throws {
    guard !OpenCLHarness.isSimulated else { return }
    let (context, warps) = (try OpenCLHarness.context(), try Self.warps(inGroups: true))
    if warps == .ptx {
      #expect(CLWarpProduct.groupFault(on: context, warps, .f16) == nil)
      #expect(CLWarpProduct.groupFault(on: context, warps, .floats) == nil)
    }
    #expect(CLAttention.groupFault(on: context, warps) == nil)
  }

  /// Warp groups match rows of whole chunks, and fp32 only along K.
  @Test func whatGroupsRefuse() {
    func refusal(_ m: Int, _ n: Int, _ k: Int, _ factors: CLWarpProduct.Factors, a: Bool = false, b: Bool = true)
      -> String?
    {
      CLGroupTile.refusal(of: CLMatrixProduct.Shape(m: m, n: n, k: k, transposeA: a, transposeB: b), factors)
    }
    #expect(refusal(3, 5, 8, .f16) == nil && refusal(3, 5, 4, .floats) == nil)
    #expect(refusal(3, 5, 12, .f16) != nil && refusal(3, 5, 6, .floats) != nil && refusal(3, 5, 0, .f16) != nil)
    #expect(refusal(3, 8, 8, .f16, b: false) == nil && refusal(3, 5, 8, .f16, b: false) != nil)
    #expect(refusal(8, 8, 8, .floats, b: false) != nil && refusal(8, 8, 8, .floats, a: true) != nil)
  }

  /// Large products use wide tiles, and small products use clusters. These were the fastest choices on an H100, or
  /// close to it.
  @Test(arguments: [
    (4096, 4096, 4096, 256, 1), (4096, 768, 768, 256, 1), (1024, 768, 768, 64, 1), (128, 768, 3072, 64, 4),
    (128, 768, 768, 32, 2), (128, 3072, 768, 64, 1),
  ])
  func tileFits(_ m: Int, _ n: Int, _ k: Int, width: Int, cluster: Int) throws {
    let shape = CLMatrixProduct.Shape(m: m, n: n, k: k, transposeB: true)
    let tile = CLGroupTile(units: 132, shape, .f16)
    #expect(tile.n == width && tile.cluster == cluster, "\(tile)")
  }

  @Test(arguments: CLWarpTile.all) func everyTile(_ tile: CLWarpTile) throws {
    guard !OpenCLHarness.isSimulated else { return }
    for transposes in [false, true] {
      let shape = Shape(m: tile.m + 3, n: tile.n + 8, k: 104, transposeA: transposes, transposeB: !transposes)
      for factors in CLWarpProduct.Factors.allCases {
        try expectProduct(shape, of: factors, tile: tile, endsInF16: false)
      }
    }
    // Less than a slice, as in first convolutions. The remainder of the slice is zero.
    for k in [16, 27] {
      try expectProduct(
        Shape(m: tile.m - 5, n: tile.n + 8, k: k, bias: .rows), of: .f16, tile: tile, endsInF16: true)
    }
  }

  /// The factors are fp16 values, whose significant bits also fit into the other factor types.
  private func expectProduct(
    _ shape: Shape, of factors: CLWarpProduct.Factors, tile: CLWarpTile? = nil, endsInF16: Bool,
    group: CLGroupTile? = nil
  ) throws {
    let context = try OpenCLHarness.context()
    let (m, n, k) = (shape.m, shape.n, shape.k)
    let batches = shape.sizes.reduce(1, *)
    let packed = Places.strides(shape.sizes)
    // The second factor is broadcast along the first batch axis.
    let form = CLMatrixProduct.Shape(
      m: m, n: n, k: k, transposeA: shape.transposeA, transposeB: shape.transposeB,
      batch: .init(
        sizes: shape.sizes, a: packed.map { $0 * m * k },
        b: packed.enumerated().map { $0.offset == 0 ? 0 : $0.element * k * n }),
      bias: shape.bias)
    let a = OpenCLHarness.numbers(batches * m * k).map { Float16($0) }
    let b = OpenCLHarness.numbers(batches * k * n, seed: 2).map { Float16($0) }
    let bias = OpenCLHarness.numbers(shape.bias == .rows ? m : n, seed: 3)
    let count = batches * m * n
    let add = OpenCLHarness.numbers(count, seed: 4).map { Float16($0) }
    let f16: F16Operands = endsInF16 ? [.add, .result] : .add
    let product = try CLWarpProduct(
      context, Self.warps(inGroups: group != nil), form, of: factors, f16: f16, hasAdd: true,
      then: CLFunction("leaky_relu", alpha: 0.25), tile: tile, group: group)
    func upload(_ numbers: [Float16]) throws -> OpenCLMemory {
      factors == .f16
        ? try OpenCLHarness.upload(numbers, padding: shape.padding)
        : try OpenCLHarness.upload(numbers.map { Float($0) }, padding: shape.padding)
    }
    let (x, y) = (try upload(a), try upload(b))
    let (z, w) = (try OpenCLHarness.upload(bias), try OpenCLHarness.upload(add))
    let bound = shape.bias == .none ? nil : z
    func run(_ queue: OpenCLQueue, _ result: OpenCLMemory) throws {
      try product.enqueue(on: queue, a: x, b: y, bias: bound, add: w, c: result)
    }
    let found: [Float]
    if endsInF16 {
      let f16: [Float16] = try OpenCLHarness.run(count, initial: Float16.nan, run)
      found = f16.map { Float($0) }
    } else {
      found = try OpenCLHarness.run(count, run)
    }
    var expected: [Float] = []
    for number in 0..<batches {
      let inner = shape.sizes.isEmpty ? 0 : number % packed[0]
      for i in 0..<m {
        for j in 0..<n {
          var sum = shape.bias == .none ? 0 : Double(bias[shape.bias == .rows ? i : j])
          for term in 0..<k {
            let first: Int = shape.transposeA ? term * m + i : i * k + term
            let second: Int = shape.transposeB ? j * k + term : term * n + j
            let left: Float16 = a[number * m * k + first]
            let right: Float16 = b[inner * k * n + second]
            sum += Double(left) * Double(right)
          }
          sum += Double(add[expected.count])
          expected.append(Float(sum < 0 ? sum * 0.25 : sum))
        }
      }
    }
    OpenCLHarness.expectClose(found, expected, tolerance: endsInF16 ? 1e-3 : 2e-5, "\(shape)")
  }

  /// Convolutions are products whose second factor is gathered: edges, strides, dilations, groups, and one pixel.
  @Test(arguments: [
    (inputs: 6, outputs: 20, groups: 1, kernel: [3, 3], strides: [1, 1], dilations: [1, 1], pad: [1, 1]),
    (inputs: 6, outputs: 70, groups: 2, kernel: [3, 2], strides: [2, 1], dilations: [1, 2], pad: [1, 0]),
    (inputs: 16, outputs: 24, groups: 1, kernel: [1, 1], strides: [1, 1], dilations: [1, 1], pad: [0, 0]),
    (inputs: 3, outputs: 8, groups: 1, kernel: [5, 5], strides: [3, 2], dilations: [1, 1], pad: [2, 2]),
  ])
  func convolutions(
    _ it: (inputs: Int, outputs: Int, groups: Int, kernel: [Int], strides: [Int], dilations: [Int], pad: [Int])
  ) throws {
    let (images, size) = (2, [9, 11])
    let area = (0..<2).map { (axis: Int) -> Int in
      let reach: Int = it.dilations[axis] * (it.kernel[axis] - 1)
      let room: Int = size[axis] + 2 * it.pad[axis] - reach - 1
      return room / it.strides[axis] + 1
    }
    let window = try CLWindow(
      input: size, output: area, kernel: it.kernel, strides: it.strides, dilations: it.dilations, padding: it.pad)
    let shape = CLConvolution.Shape(
      images: images, inputs: it.inputs, outputs: it.outputs, groups: it.groups, window: window)
    let inner = it.inputs / it.groups
    let x = OpenCLHarness.numbers(images * it.inputs * size[0] * size[1]).map { Float16($0) }
    let weights = OpenCLHarness.numbers(it.outputs * inner * it.kernel[0] * it.kernel[1], seed: 2).map { Float16($0) }
    let bias = OpenCLHarness.numbers(it.outputs, seed: 3)
    let convolution = try CLWarpProduct(OpenCLHarness.context(), Self.warps(), shape, hasBias: true, tile: Self.tile)
    let memory = (try OpenCLHarness.upload(weights), try OpenCLHarness.upload(x), try OpenCLHarness.upload(bias))
    let found = try OpenCLHarness.run(images * it.outputs * area[0] * area[1]) {
      try convolution.enqueue(on: $0, a: memory.0, b: memory.1, bias: memory.2, c: $1)
    }
    let groupOut: Int = it.outputs / it.groups
    func sum(_ image: Int, _ output: Int, _ row: Int, _ column: Int) -> Float {
      var sum = Double(bias[output])
      for channel in 0..<inner {
        let plane: Int = image * it.inputs + output / groupOut * inner + channel
        for r in 0..<it.kernel[0] {
          let i: Int = row * it.strides[0] + r * it.dilations[0] - it.pad[0]
          for t in 0..<it.kernel[1] {
            let j: Int = column * it.strides[1] + t * it.dilations[1] - it.pad[1]
            guard i >= 0, i < size[0], j >= 0, j < size[1] else { continue }
            let tap: Int = (output * inner + channel) * it.kernel[0] + r
            let weight: Float16 = weights[tap * it.kernel[1] + t]
            let pixel: Float16 = x[(plane * size[0] + i) * size[1] + j]
            sum += Double(pixel) * Double(weight)
          }
        }
      }
      return Float(sum)
    }
    var expected: [Float] = []
    for image in 0..<images {
      for output in 0..<it.outputs {
        for row in 0..<area[0] { for column in 0..<area[1] { expected.append(sum(image, output, row, column)) } }
      }
    }
    OpenCLHarness.expectClose(found, expected, tolerance: 2e-5, "\(it)")
  }

  /// The probe enables these kernels if the warp functions behave as specified. It disables them if the program does
  /// not compile.
  @Test func theProbeTellsRightFromWrong() throws {
    guard !OpenCLHarness.isSimulated else { return }
    let context = try OpenCLHarness.context()
    for factors in CLWarpProduct.Factors.allCases {
      #expect(try CLWarpProduct.fault(on: context, Self.warps(), factors) == nil)
    }
    #expect(CLAttention.fault(on: context, try Self.warps()) == nil)
    #expect(CLStoredProduct.fault(on: context, try Self.warps()) == nil)
    #expect(CLAttention.floatFault(on: context, try Self.warps()) == nil)
    for factors in CLWarpProduct.Factors.allCases {
      #expect(CLWarpConvolution.fault(on: context, try Self.warps(), factors) == nil)
    }
    let right = try Self.warps().rightUses(on: context)
    #expect(right.uses == .all, "\(right.faults)")
    if context.device.kind == .cpu, !context.device.extensions.contains("cl_nv_device_attribute_query") {
      let probed = try OpenCLContext(context.device)
      #expect(!probed.features.hasWarpProducts && !probed.features.hasWarpFloats && !probed.features.hasWarpAttention)
      #expect(!probed.features.hasWarpStoredProducts)
      #expect(!probed.features.hasWarpFloatAttention && !probed.features.hasWarpFloatConvolutions)
    }
  }
}
