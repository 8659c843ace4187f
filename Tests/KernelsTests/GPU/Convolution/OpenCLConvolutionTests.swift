import TestSupport
import Testing

@testable import CoreMLKernels

/// Convolutions compared with plain loops.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLConvolutionTests {
  struct Shape {
    var images = 1
    var inputs: Int
    var outputs: Int
    var groups = 1
    var size: [Int]
    var kernel: [Int]
    var strides = [1, 1]
    var dilations = [1, 1]
    /// Before and after, for the height and the width.
    var padding = [0, 0, 0, 0]
    var hasBias = true

    func form(_ output: [Int]) throws -> CLConvolution.Shape {
      CLConvolution.Shape(
        images: images, inputs: inputs, outputs: outputs, groups: groups,
        window: try CLWindow(
          input: size, output: output, kernel: kernel, strides: strides, dilations: dilations,
          padding: [padding[0], padding[2]]))
    }

    func output(isTransposed: Bool) -> [Int] {
      (0..<2).map { axis in
        let reach = (kernel[axis] - 1) * dilations[axis] + 1
        let border = padding[2 * axis] + padding[2 * axis + 1]
        return isTransposed
          ? (size[axis] - 1) * strides[axis] + reach - border : (size[axis] + border - reach) / strides[axis] + 1
      }
    }
  }

  @Test(arguments: [
    // Tiles that gather their inputs.
    Shape(images: 2, inputs: 3, outputs: 17, size: [9, 11], kernel: [3, 3], padding: [1, 1, 1, 1]),
    Shape(inputs: 5, outputs: 33, size: [12, 10], kernel: [3, 5], strides: [2, 3], padding: [0, 2, 1, 0]),
    Shape(inputs: 4, outputs: 16, size: [13, 9], kernel: [3, 2], dilations: [2, 3], hasBias: false),
    Shape(inputs: 8, outputs: 32, groups: 2, size: [6, 7], kernel: [2, 2]),
    Shape(inputs: 3, outputs: 20, size: [20, 19], kernel: [7, 7], strides: [2, 2], padding: [3, 3, 3, 3]),
    // 1 x 1 kernels: products. With strides, the product gathers its input.
    Shape(images: 2, inputs: 6, outputs: 10, size: [5, 7], kernel: [1, 1]),
    Shape(images: 2, inputs: 6, outputs: 9, groups: 3, size: [5, 4], kernel: [1, 1]),
    Shape(inputs: 18, outputs: 16, size: [6, 6], kernel: [1, 1], strides: [2, 2], hasBias: false),
    // Direct convolution: few channels, depthwise, and with a channel multiplier.
    Shape(inputs: 3, outputs: 5, size: [7, 8], kernel: [3, 3], padding: [1, 0, 0, 1]),
    Shape(
      images: 3, inputs: 6, outputs: 6, groups: 6, size: [9, 8], kernel: [3, 3], strides: [2, 1], padding: [1, 1, 1, 1]),
    Shape(inputs: 4, outputs: 12, groups: 4, size: [6, 5], kernel: [2, 3], hasBias: false),
    Shape(
      inputs: 5, outputs: 5, groups: 5, size: [1, 40], kernel: [1, 9], dilations: [1, 2], padding: [0, 0, 8, 8]),
    Shape(inputs: 4, outputs: 1, size: [4, 4], kernel: [1, 1]),
    // A 1 x 1 kernel on a 1 x 1 image: a matrix-vector product.
    Shape(images: 3, inputs: 37, outputs: 21, size: [1, 1], kernel: [1, 1]),
  ])
  func convolutions(_ shape: Shape) throws {
    let output = shape.output(isTransposed: false)
    let ways = try CLConvolution.Way.allCases.filter {
      try $0 != .transposed && shape.form(output).refusal(of: $0) == nil
    }
    #expect(ways.contains(.tiles) && ways.contains(.direct))
    for way in ways { try expectConvolution(shape, output, by: way) }
  }

  /// Windows whose taps fit into the bits of one word and others, images whose areas are not multiples of four, and
  /// groups.
  @Test(arguments: CLTile.all) func everyTile(_ tile: CLTile) throws {
    guard tile.fits(try OpenCLHarness.context().device) else { return }
    for shape in [
      Shape(
        images: 3, inputs: 5, outputs: 35, size: [9, 7], kernel: [3, 3], strides: [2, 1], dilations: [1, 2],
        padding: [1, 1, 2, 2]),
      Shape(
        images: 2, inputs: 6, outputs: 8, groups: 2, size: [8, 8], kernel: [1, 1], strides: [2, 2], hasBias: false),
      Shape(inputs: 2, outputs: 6, size: [12, 14], kernel: [6, 6], padding: [3, 2, 3, 2]),
    ] { try expectConvolution(shape, shape.output(isTransposed: false), by: .tiles, tile: tile) }
  }

  /// 64-bit indices. Only tensors too large for a test's memory need them.
  @Test func longIndices() throws {
    let context = try OpenCLHarness.context()
    let index = CLSizes(1 << 31)
    for kernel in [3, 7] {
      let window = try CLWindow(
        input: [9, 10], output: [9, 10], kernel: [kernel, kernel], padding: [kernel / 2, kernel / 2])
      let shape = CLConvolution.Shape(images: 2, inputs: 3, outputs: 5, window: window)
      let product = shape.product(hasBias: false, joinsImages: true)
      let tile = try CLTile(context.device, product)
      let own = ["CONVOLUTION": "1", "INDEX": index.definition, "KERNEL_H": "\(kernel)", "KERNEL_W": "\(kernel)"]
      let size = try tile.sizes(m: product.m, n: product.n, batches: 1)
      let x = OpenCLHarness.numbers(2 * 3 * 90)
      let weights = OpenCLHarness.numbers(5 * product.k, seed: 2)
      let slide = [9, 10, 10, 1, 1, 1, 1, kernel / 2, kernel / 2].map { Int32($0) }
      let launch = try context.kernel(
        "product", of: CLFunction.identity.ending("tile", front: "tile_slice", for: "conv"),
        tile.definitions(for: context.device).merging(own) { $1 }
      ).launch(
        [
          .floats("weights", weights.count), .floats("x", x.count), .floats("bias", 0), .floats("add", 0),
          .floats("y", 2 * 5 * 90),
        ] + CLTile.parameters(index, m: product.m, n: product.n, k: product.k, product.batch)
          + [90, 3 * 90, 5 * 90].map { index.one($0) } + [.ints(slide)], global: size.global, local: size.local)
      let (a, b) = (try OpenCLHarness.upload(weights), try OpenCLHarness.upload(x))
      let found = try OpenCLHarness.run(2 * 5 * 90) { try launch.enqueue(on: $0, a, b, a, a, $1) }
      let plain = try CLConvolution(context, shape, by: .direct)
      let expected = try OpenCLHarness.run(2 * 5 * 90) { try plain.enqueue(on: $0, x: b, weights: a, y: $1) }
      OpenCLHarness.expectClose(found, expected, tolerance: 2e-5, "\(kernel)")
    }
  }

  private func expectConvolution(
    _ shape: Shape, _ output: [Int], by way: CLConvolution.Way, tile: CLTile? = nil
  ) throws {
    let (inputs, outputs) = (shape.inputs / shape.groups, shape.outputs / shape.groups)
    let (x, w, b, add, found) = try run(shape, output, by: way, tile: tile)
    var expected: [Float] = []
    for place in Places.all([shape.images, shape.outputs] + output) {
      var sum = shape.hasBias ? Double(b[place[1]]) : 0
      for tap in Places.all([inputs] + shape.kernel) {
        let row = place[2] * shape.strides[0] - shape.padding[0] + tap[1] * shape.dilations[0]
        let column = place[3] * shape.strides[1] - shape.padding[2] + tap[2] * shape.dilations[1]
        guard (0..<shape.size[0]).contains(row), (0..<shape.size[1]).contains(column) else { continue }
        let channel = place[0] * shape.inputs + place[1] / outputs * inputs + tap[0]
        let weight = ((place[1] * inputs + tap[0]) * shape.kernel[0] + tap[1]) * shape.kernel[1] + tap[2]
        sum += Double(x[(channel * shape.size[0] + row) * shape.size[1] + column]) * Double(w[weight])
      }
      expected.append(Float(max(sum + Double(add[expected.count]), 0)))
    }
    OpenCLHarness.expectClose(found, expected, tolerance: 2e-5, "\(way), \(tile?.description ?? ""): \(shape)")
  }

  @Test(arguments: [
    Shape(images: 2, inputs: 3, outputs: 4, size: [4, 5], kernel: [3, 3], strides: [2, 2], padding: [1, 1, 1, 1]),
    Shape(
      inputs: 4, outputs: 6, groups: 2, size: [5, 3], kernel: [2, 4], strides: [1, 3], dilations: [2, 1], hasBias: false
    ),
    Shape(inputs: 3, outputs: 3, groups: 3, size: [1, 7], kernel: [1, 4], strides: [1, 2], padding: [0, 0, 1, 0]),
  ])
  func transposedConvolutions(_ shape: Shape) throws {
    let output = shape.output(isTransposed: true)
    let (inputs, outputs) = (shape.inputs / shape.groups, shape.outputs / shape.groups)
    let (x, w, b, add, found) = try run(shape, output, by: .transposed)
    var sums = Places.all([shape.images, shape.outputs] + output).map { shape.hasBias ? Double(b[$0[1]]) : 0 }
    for place in Places.all([shape.images, shape.inputs] + shape.size) {
      let value = Double(
        x[((place[0] * shape.inputs + place[1]) * shape.size[0] + place[2]) * shape.size[1] + place[3]])
      for tap in Places.all([outputs] + shape.kernel) {
        let row = place[2] * shape.strides[0] - shape.padding[0] + tap[1] * shape.dilations[0]
        let column = place[3] * shape.strides[1] - shape.padding[2] + tap[2] * shape.dilations[1]
        guard (0..<output[0]).contains(row), (0..<output[1]).contains(column) else { continue }
        let channel = place[0] * shape.outputs + place[1] / inputs * outputs + tap[0]
        let weight = ((place[1] * outputs + tap[0]) * shape.kernel[0] + tap[1]) * shape.kernel[1] + tap[2]
        sums[(channel * output[0] + row) * output[1] + column] += value * Double(w[weight])
      }
    }
    OpenCLHarness.expectClose(found, zip(sums, add).map { Float(max($0 + Double($1), 0)) }, tolerance: 2e-5, "\(shape)")
  }

  @Test func aLineIsAnImageOfOneRow() throws {
    let context = try OpenCLHarness.context()
    let window = try CLWindow(input: [10], output: [4], kernel: [3], strides: [2], padding: [0])
    #expect(window.input == [1, 10] && window.kernel == [1, 3] && window.strides == [1, 2])
    let shape = CLConvolution.Shape(images: 1, inputs: 1, outputs: 1, window: window)
    let convolution = try CLConvolution(context, shape, by: .direct)
    let x = try OpenCLHarness.upload((0..<10).map { Float($0) })
    let w = try OpenCLHarness.upload([Float](arrayLiteral: 1, 10, 100))
    let found = try OpenCLHarness.run(4) { try convolution.enqueue(on: $0, x: x, weights: w, y: $1) }
    #expect(found == [210, 432, 654, 876])
  }

  @Test func shapesThatCannotBeAreErrors() throws {
    let context = try OpenCLHarness.context()
    #expect(throws: KernelError.self) { try CLWindow(input: [4, 4], output: [4], kernel: [1, 1]) }
    #expect(throws: KernelError.self) { try CLWindow(input: [4, 4], output: [4, 4], kernel: [0, 1]) }
    #expect(throws: KernelError.self) { try CLWindow(input: [4], output: [1 << 30], kernel: [1], strides: [1 << 30]) }
    let window = try CLWindow(input: [4, 4], output: [4, 4], kernel: [1, 1])
    #expect(throws: KernelError.self) {
      try CLConvolution(context, .init(images: 1, inputs: 3, outputs: 4, groups: 2, window: window), by: .direct)
    }
    #expect(throws: KernelError.self) {
      try CLConvolution(context, .init(images: 1, inputs: 3, outputs: 4, groups: 0, window: window), by: .direct)
    }
    let three = try CLWindow(input: [4, 4], output: [2, 2], kernel: [3, 3])
    #expect(throws: KernelError.self) {
      try CLConvolution(context, .init(images: 1, inputs: 3, outputs: 4, window: three), by: .pointwise)
    }
  }

  private func run(
    _ shape: Shape, _ output: [Int], by way: CLConvolution.Way, tile: CLTile? = nil
  ) throws -> (x: [Float], weights: [Float], bias: [Float], add: [Float], found: [Float]) {
    let context = try OpenCLHarness.context()
    let convolution = try CLConvolution(
      context, shape.form(output), by: way, hasBias: shape.hasBias, hasAdd: true, then: CLFunction("relu"), parts: 1,
      tile: tile)
    let x = OpenCLHarness.numbers(shape.images * shape.inputs * shape.size[0] * shape.size[1])
    let weights = OpenCLHarness.numbers(
      shape.inputs * shape.outputs / shape.groups * shape.kernel[0] * shape.kernel[1], seed: 2)
    let bias = OpenCLHarness.numbers(shape.outputs, seed: 3)
    let (a, w, b) = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(weights), try OpenCLHarness.upload(bias))
    let count = shape.images * shape.outputs * output[0] * output[1]
    let add = OpenCLHarness.numbers(count, seed: 4)
    let more = try OpenCLHarness.upload(add)
    let found = try OpenCLHarness.run(count) {
      try convolution.enqueue(on: $0, x: a, weights: w, bias: shape.hasBias ? b : nil, add: more, y: $1)
    }
    return (x, weights, bias, add, found)
  }
}
