import TestSupport
import Testing

@testable import CoreMLKernels

/// Products and convolutions with K-split, compared with plain loops. Covers remainders of K, empty parts, batches with
/// separate biases, and epilogues that run after the final accumulation.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLPartsTests {
  /// The kernel that multiplies.
  enum Kernel: CaseIterable {
    case tiles, f16, floats
  }

  @Test(arguments: Kernel.allCases) func products(_ kernel: Kernel) throws {
    for (m, n, k, parts, bias) in [
      (20, 24, 100, 3, CLMatrixProduct.Bias.rows), (9, 35, 64, 2, .columns), (33, 8, 20, 5, .rows),
      (4, 4, 200, 4, .none),
    ] {
      guard !OpenCLHarness.isSimulated || m < 20 else { continue }
      try expectProduct(kernel, m: m, n: n, k: k, parts: parts, bias: bias)
    }
  }

  private func expectProduct(
    _ kernel: Kernel, m: Int, n: Int, k: Int, parts: Int, bias: CLMatrixProduct.Bias
  ) throws {
    let context = try OpenCLHarness.context()
    let batches = 2
    let width = bias == .rows ? m : n
    let shape = CLMatrixProduct.Shape(
      m: m, n: n, k: k,
      batch: .init(sizes: [batches], a: [m * k], b: [k * n], bias: [bias == .none ? 0 : width]), bias: bias)
    let a = OpenCLHarness.numbers(batches * m * k).map { Float(Float16($0)) }
    let b = OpenCLHarness.numbers(batches * k * n, seed: 2).map { Float(Float16($0)) }
    let biases = OpenCLHarness.numbers(batches * width, seed: 3)
    let add = OpenCLHarness.numbers(batches * m * n, seed: 4)
    let then = try CLFunction("leaky_relu", alpha: 0.25)
    func upload(_ numbers: [Float]) throws -> OpenCLMemory {
      kernel == .f16
        ? try OpenCLHarness.upload(numbers.map { Float16($0) }, padding: 8)
        : try OpenCLHarness.upload(numbers, padding: 8)
    }
    let (x, y) = (try upload(a), try upload(b))
    let (z, w) = (try OpenCLHarness.upload(biases), try OpenCLHarness.upload(add))
    let bound = bias == .none ? nil : z
    // NaN shows when a kernel reads scratch memory that it did not write.
    let scratch = try context.makeBuffer(
      copying: [Float](repeating: .nan, count: CLParts.bytes(parts, shape) / 4)
    ).memory
    let found: [Float]
    if kernel == .tiles {
      let product = try CLMatrixProduct(
        context, shape, by: .tiles, hasAdd: true, then: then, tile: nil, parts: parts)
      found = try OpenCLHarness.run(batches * m * n) {
        try product.enqueue(on: $0, a: x, b: y, bias: bound, add: w, c: $1, scratch: scratch)
      }
      #expect(throws: KernelError.self) {
        try product.enqueue(on: context.makeQueue(), a: x, b: y, bias: bound, add: w, c: scratch)
      }
    } else {
      let product = try CLWarpProduct(
        context, warps(), shape, of: kernel == .f16 ? .f16 : .floats, hasAdd: true, then: then,
        tile: OpenCLHarness.isSimulated ? CLWarpTile.all.last : nil, parts: parts)
      found = try OpenCLHarness.run(batches * m * n) {
        try product.enqueue(on: $0, a: x, b: y, bias: bound, add: w, c: $1, scratch: scratch)
      }
    }
    var expected: [Float] = []
    for batch in 0..<batches {
      for i in 0..<m {
        for j in 0..<n {
          var sum = bias == .none ? 0 : Double(biases[batch * width + (bias == .rows ? i : j)])
          for term in 0..<k {
            sum += Double(a[(batch * m + i) * k + term]) * Double(b[(batch * k + term) * n + j])
          }
          sum += Double(add[expected.count])
          expected.append(Float(sum < 0 ? sum * 0.25 : sum))
        }
      }
    }
    OpenCLHarness.expectClose(found, expected, tolerance: 2e-5, "\(kernel), \(m) x \(n) x \(k) in \(parts)")
  }

  @Test func convolutions() throws {
    let context = try OpenCLHarness.context()
    let (inputs, outputs, groups, size, area) = (12, 10, 2, [5, 6], [5, 6])
    let window = try CLWindow(
      input: size, output: area, kernel: [3, 3], strides: [1, 1], dilations: [1, 1], padding: [1, 1])
    let shape = CLConvolution.Shape(images: 2, inputs: inputs, outputs: outputs, groups: groups, window: window)
    let x = OpenCLHarness.numbers(2 * inputs * 30)
    let weights = OpenCLHarness.numbers(outputs * 6 * 9, seed: 2)
    let bias = OpenCLHarness.numbers(outputs, seed: 3)
    let memory = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(weights), try OpenCLHarness.upload(bias))
    let scratch = try context.makeBuffer(
      copying: [Float](repeating: .nan, count: CLParts.bytes(3, shape.product(hasBias: true)) / 4)
    ).memory
    func run(_ parts: Int) throws -> [Float] {
      let convolution = try CLConvolution(context, shape, by: .tiles, hasBias: true, parts: parts)
      return try OpenCLHarness.run(2 * outputs * 30) {
        try convolution.enqueue(on: $0, x: memory.0, weights: memory.1, bias: memory.2, y: $1, scratch: scratch)
      }
    }
    // Other tests compare unsplit products with plain loops.
    OpenCLHarness.expectClose(try run(3), try run(1), tolerance: 1e-5)
  }

  /// K is split where compute units would be idle and K is large enough.
  @Test func partsByHowFullADeviceIs() throws {
    let device = try OpenCLHarness.context().device
    #expect(CLParts.count(tiles: device.computeUnits, depth: 1 << 20, on: device) == 1)
    #expect(CLParts.count(tiles: 1, depth: 512, on: device) == 1)
    if device.computeUnits >= 2 {
      #expect(CLParts.count(tiles: 1, depth: 1024, on: device) == min(device.computeUnits, 4))
    }
    #expect(CLParts.count(tiles: 0, depth: 4096, on: device) == 1)
  }

  private func warps() throws -> CLWarps {
    OpenCLHarness.isSimulated ? .plain : try #require(try OpenCLHarness.context().features.warps(for: .products))
  }
}
