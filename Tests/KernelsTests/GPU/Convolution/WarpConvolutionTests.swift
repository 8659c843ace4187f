import TestSupport
import Testing

@testable import CoreMLKernels

/// Convolutions by patches compared with plain loops. NVIDIA devices use PTX, and other devices OpenCL C versions of
/// the warp functions.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct WarpConvolutionTests {
  struct Case: Sendable {
    var images = 1
    var inputs: Int
    var outputs: Int
    var groups = 1
    var size: [Int]
    var kernel: [Int]
    var strides = [1, 1]
    var dilations = [1, 1]
    var pad = [0, 0]
    var parts = 1
    var hasAdd = true
    var endsInF16 = true
  }

  @Test(arguments: [
    // Taps, slices and images; ragged channels and pixels; strides, dilations, groups; shared channels.
    Case(images: 2, inputs: 35, outputs: 37, size: [9, 11], kernel: [3, 3], pad: [1, 1]),
    Case(inputs: 20, outputs: 33, size: [11, 9], kernel: [3, 3], strides: [2, 2], pad: [1, 1], endsInF16: false),
    Case(inputs: 40, outputs: 24, groups: 2, size: [7, 10], kernel: [3, 2], dilations: [2, 1], pad: [2, 0]),
    Case(images: 2, inputs: 72, outputs: 40, size: [6, 6], kernel: [1, 1]),
    Case(inputs: 130, outputs: 20, size: [5, 7], kernel: [1, 1], hasAdd: false),
    Case(inputs: 34, outputs: 20, size: [9, 8], kernel: [1, 1], strides: [2, 2]),
    Case(inputs: 3, outputs: 16, size: [15, 15], kernel: [7, 7], strides: [2, 2], pad: [3, 3]),
    Case(inputs: 100, outputs: 20, size: [7, 7], kernel: [3, 3], pad: [1, 1], parts: 2),
    // The first convolution of a network, 1 x 1 images, and a K-split whose last part is empty.
    Case(inputs: 3, outputs: 32, size: [20, 18], kernel: [3, 3], strides: [2, 2], pad: [1, 1]),
    Case(inputs: 150, outputs: 48, size: [1, 1], kernel: [1, 1]),
    Case(inputs: 1152, outputs: 20, size: [3, 3], kernel: [1, 1], parts: 4),
    // One-dimensional images; the largest tiles.
    Case(images: 2, inputs: 20, outputs: 40, size: [1, 70], kernel: [1, 3], strides: [1, 2], pad: [0, 1]),
    Case(inputs: 20, outputs: 70, size: [9, 10], kernel: [3, 3], pad: [1, 1]),
    Case(inputs: 40, outputs: 72, size: [7, 12], kernel: [1, 1], endsInF16: false),
  ])
  func convolutions(_ it: Case) throws {
    guard !OpenCLHarness.isSimulated || it.inputs * it.outputs <= 500 else { return }
    for factors in CLWarpProduct.Factors.allCases { try expectConvolution(it, of: factors) }
  }

  /// Rounds a value to the type of the factors.
  private func rounded(_ number: Float, _ factors: CLWarpProduct.Factors) -> Float {
    factors == .f16
      ? Float(Float16(number)) : Float(bitPattern: (number.bitPattern + 0x1000) & 0xffff_e000)
  }

  /// fp16 factors are passed as fp16. fp32 factors have all significant bits, and some exceed the range of fp16.
  private func expectConvolution(_ it: Case, of factors: CLWarpProduct.Factors) throws {
    let context = try OpenCLHarness.context()
    let area = (0..<2).map { (axis: Int) -> Int in
      let reach: Int = it.dilations[axis] * (it.kernel[axis] - 1)
      return (it.size[axis] + 2 * it.pad[axis] - reach - 1) / it.strides[axis] + 1
    }
    let window = try CLWindow(
      input: it.size, output: area, kernel: it.kernel, strides: it.strides, dilations: it.dilations, padding: it.pad)
    let shape = CLConvolution.Shape(
      images: it.images, inputs: it.inputs, outputs: it.outputs, groups: it.groups, window: window)
    let inner = it.inputs / it.groups
    let x = OpenCLHarness.numbers(it.images * it.inputs * it.size[0] * it.size[1]).map {
      factors == .f16 ? $0 : $0 * 1.0009765 * 65536
    }
    let weights = OpenCLHarness.numbers(it.outputs * inner * it.kernel[0] * it.kernel[1], seed: 2).map {
      factors == .f16 ? $0 : $0 / 65536
    }
    let bias = OpenCLHarness.numbers(it.outputs, seed: 3)
    let count = it.images * it.outputs * area[0] * area[1]
    let add = OpenCLHarness.numbers(count, seed: 4).map { Float16($0) }
    let tile = try #require(CLPatchTile(context.device, shape, of: factors))
    let use: CLWarps.Uses = factors == .f16 ? .patches : .floatPatches
    let warps: CLWarps = OpenCLHarness.isSimulated ? .plain : context.features.warps(for: use) ?? .plain
    let convolution = try CLWarpConvolution(
      context, warps, shape, f16: it.endsInF16 ? [.add, .result] : .add, hasBias: true, hasAdd: it.hasAdd,
      then: CLFunction("leaky_relu", alpha: 0.25), tile: tile, parts: it.parts)
    func upload(_ numbers: [Float], padding: Int) throws -> OpenCLMemory {
      factors == .f16
        ? try OpenCLHarness.upload(numbers.map { Float16($0) }, padding: padding)
        : try OpenCLHarness.upload(numbers, padding: padding)
    }
    let packed = try convolution.packed(upload(weights, padding: 0)).memory
    // The image starts aligned to a read of four pixels, or not.
    for padding in [8, 3] {
      let memory = (try upload(x, padding: padding), try OpenCLHarness.upload(bias))
      let more = it.hasAdd ? try OpenCLHarness.upload(add) : nil
      let scratch = try context.makeBuffer(byteCount: max(it.parts * count * 4, 64)).memory
      func run(_ queue: OpenCLQueue, _ result: OpenCLMemory) throws {
        try convolution.enqueue(
          on: queue, x: memory.0, weights: packed, bias: memory.1, add: more, y: result, scratch: scratch)
      }
      let found: [Float] =
        it.endsInF16
        ? try OpenCLHarness.run(count, initial: Float16.nan, run).map { Float($0) } : try OpenCLHarness.run(count, run)
      OpenCLHarness.expectClose(
        found,
        expected(
          it, area, x.map { rounded($0, factors) }, weights.map { rounded($0, factors) }, bias, add),
        tolerance: it.endsInF16 ? 1e-3 : 2e-5, "\(it) of \(factors)")
    }
  }

  private func expected(
    _ it: Case, _ area: [Int], _ x: [Float], _ weights: [Float], _ bias: [Float], _ add: [Float16]
  ) -> [Float] {
    let (inner, outer) = (it.inputs / it.groups, it.outputs / it.groups)
    func sum(_ image: Int, _ output: Int, _ row: Int, _ column: Int) -> Double {
      var sum = Double(bias[output])
      for channel in 0..<inner {
        let plane: Int = image * it.inputs + output / outer * inner + channel
        for r in 0..<it.kernel[0] {
          let i: Int = row * it.strides[0] + r * it.dilations[0] - it.pad[0]
          for t in 0..<it.kernel[1] {
            let j: Int = column * it.strides[1] + t * it.dilations[1] - it.pad[1]
            guard i >= 0, i < it.size[0], j >= 0, j < it.size[1] else { continue }
            let tap: Int = (output * inner + channel) * it.kernel[0] + r
            let weight: Float = weights[tap * it.kernel[1] + t]
            let pixel: Float = x[(plane * it.size[0] + i) * it.size[1] + j]
            sum += Double(pixel) * Double(weight)
          }
        }
      }
      return sum
    }
    var result: [Float] = []
    for image in 0..<it.images {
      for output in 0..<it.outputs {
        for row in 0..<area[0] {
          for column in 0..<area[1] {
            var value = sum(image, output, row, column)
            if it.hasAdd { value += Double(add[result.count]) }
            result.append(Float(value < 0 ? value * 0.25 : value))
          }
        }
      }
    }
    return result
  }
}
