import TestSupport
import Testing

@testable import CoreMLKernels

/// Pooling and resizing of images compared with plain loops.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLImageTests {
  struct Shape {
    var planes: Int
    var size: [Int]
    var output: [Int]
    var kernel: [Int]
    var strides = [1, 1]
    var dilations = [1, 1]
    var padding = [0, 0]
  }

  @Test(arguments: [
    Shape(planes: 3, size: [6, 7], output: [3, 4], kernel: [2, 2], strides: [2, 2]),
    Shape(planes: 2, size: [7, 5], output: [4, 3], kernel: [3, 3], strides: [2, 2], padding: [1, 1]),
    Shape(planes: 5, size: [4, 4], output: [1, 1], kernel: [4, 4]),
    Shape(
      planes: 1, size: [1, 20], output: [1, 9], kernel: [1, 3], strides: [1, 2], dilations: [1, 2], padding: [0, 2]),
    Shape(planes: 40, size: [3, 3], output: [3, 3], kernel: [3, 3], padding: [1, 1]),
    Shape(planes: 2, size: [12, 13], output: [12, 13], kernel: [1, 1]),
  ])
  func pools(_ shape: Shape) throws {
    let window = try CLWindow(
      input: shape.size, output: shape.output, kernel: shape.kernel, strides: shape.strides,
      dilations: shape.dilations, padding: shape.padding)
    let x = OpenCLHarness.numbers(shape.planes * shape.size[0] * shape.size[1])
    let input = try OpenCLHarness.upload(x)
    let modes: [CLPool.Mode] = [.max, .average(countsPadding: true), .average(countsPadding: false), .l2]
    for mode in modes {
      let pool = try CLPool(OpenCLHarness.context(), mode, planes: shape.planes, window: window)
      let found = try OpenCLHarness.run(shape.planes * shape.output[0] * shape.output[1]) {
        try pool.enqueue(on: $0, x: input, y: $1)
      }
      let expected = Places.all([shape.planes] + shape.output).map { place -> Float in
        var values: [Double] = []
        for tap in Places.all(shape.kernel) {
          let row = place[1] * shape.strides[0] - shape.padding[0] + tap[0] * shape.dilations[0]
          let column = place[2] * shape.strides[1] - shape.padding[1] + tap[1] * shape.dilations[1]
          guard (0..<shape.size[0]).contains(row), (0..<shape.size[1]).contains(column) else { continue }
          values.append(Double(x[(place[0] * shape.size[0] + row) * shape.size[1] + column]))
        }
        let sum = values.reduce(0, +)
        switch mode {
        case .max: return Float(values.max() ?? -.infinity)
        case .average(true): return Float(sum / Double(shape.kernel[0] * shape.kernel[1]))
        case .average(false): return Float(sum / Double(max(values.count, 1)))
        case .l2: return Float(values.reduce(0) { $0 + $1 * $1 }.squareRoot())
        }
      }
      OpenCLHarness.expectClose(found, expected, "\(mode) \(shape)")
    }
  }

  @Test func windowsThatCoverNoPixel() throws {
    let window = try CLWindow(input: [2, 2], output: [4, 2], kernel: [1, 1])
    let input = try OpenCLHarness.upload([Float](arrayLiteral: 1, 2, 3, 4))
    let expected: [(CLPool.Mode, Float)] = [(.max, -.infinity), (.average(countsPadding: false), 0), (.l2, 0)]
    for (mode, empty) in expected {
      let pool = try CLPool(OpenCLHarness.context(), mode, planes: 1, window: window)
      let found = try OpenCLHarness.run(8) { try pool.enqueue(on: $0, x: input, y: $1) }
      #expect(found == [1, 2, 3, 4, empty, empty, empty, empty])
    }
  }

  @Test func resizing() throws {
    let context = try OpenCLHarness.context()
    let x = OpenCLHarness.numbers(3 * 4 * 5)
    let input = try OpenCLHarness.upload(x)
    let nearest = try CLResample(
      context, planes: 3, rows: .init(nearest: [0, 0, 1, 1, 2, 2, 3, 3], size: 4),
      columns: .init(nearest: [4, 2, 0], size: 5))
    let picked = try OpenCLHarness.run(3 * 8 * 3) { try nearest.enqueue(on: $0, x: input, y: $1) }
    #expect(picked == Places.all([3, 8, 3]).map { x[($0[0] * 4 + $0[1] / 2) * 5 + 4 - 2 * $0[2]] })

    let rows = [-0.5, 0.25, 1, 2.75, 3.5]
    let columns = [0, 0.5, 3.75, 4]
    let linear = try CLResample(
      context, planes: 3, rows: .init(linear: rows, size: 4), columns: .init(linear: columns, size: 5))
    let mixed = try OpenCLHarness.run(3 * 5 * 4) { try linear.enqueue(on: $0, x: input, y: $1) }
    let expected = Places.all([3, 5, 4]).map { place -> Float in
      var sum = 0.0
      // The weight of every pixel is a hat function around the sampled position.
      for row in 0..<4 {
        for column in 0..<5 {
          let down = max(0, 1 - abs(min(max(rows[place[1]], 0), 3) - Double(row)))
          let along = max(0, 1 - abs(columns[place[2]] - Double(column)))
          sum += down * along * Double(x[(place[0] * 4 + row) * 5 + column])
        }
      }
      return Float(sum)
    }
    OpenCLHarness.expectClose(mixed, expected)
    #expect(throws: KernelError.self) { try CLResample.Axis(nearest: [0, 4], size: 4) }
    #expect(throws: KernelError.self) { try CLResample.Axis(nearest: [-1], size: 4) }
    #expect(throws: KernelError.self) { try CLResample.Axis(linear: [.nan], size: 4) }
    #expect(throws: KernelError.self) { try CLResample.Axis(linear: [0], size: 0) }
  }
}
