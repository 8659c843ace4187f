import Foundation
import TestSupport
import Testing

@testable import CoreMLKernels

/// Reductions, softmax and normalizations compared with plain loops in double precision.
@MainActor @Suite(.tags(.driver), .unlessQuick, .needsOpenCL) struct OpenCLReduceTests {
  /// [outer, axis, inner]: columns, short rows, and rows shorter than, equal to and longer than a work-group.
  private static let shapes = [[2, 5, 3], [7, 4, 1], [3, 33, 1], [2, 64, 1], [2, 600, 1], [1, 1, 4], [3, 40, 2]]

  @Test func reductions() throws {
    let functions: [(CLReduce.Kind, ([Double]) -> Double)] = [
      (.sum, { $0.reduce(0, +) }), (.mean, { $0.reduce(0, +) / Double($0.count) }), (.max, { $0.max() ?? -.infinity }),
      (.min, { $0.min() ?? .infinity }), (.prod, { $0.reduce(1, *) }), (.l1Norm, { $0.reduce(0) { $0 + abs($1) } }),
      (.l2Norm, { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() }), (.sumSquare, { $0.reduce(0) { $0 + $1 * $1 } }),
      (.logSum, { log($0.reduce(0, +)) }), (.logSumExp, { log($0.reduce(0) { $0 + exp($1) }) }),
    ]
    #expect(functions.map(\.0) == CLReduce.Kind.allCases)
    for (kind, function) in functions {
      for shape in Self.shapes {
        // Sums of logarithms need positive values, and long products need values near one.
        let x = OpenCLHarness.numbers(shape.reduce(1, *)).map { kind == .logSum || kind == .prod ? 1 + $0 / 64 : $0 }
        let reduce = try CLReduce(
          OpenCLHarness.context(), kind, outer: shape[0], axis: shape[1], inner: shape[2])
        let input = try OpenCLHarness.upload(x)
        let found = try OpenCLHarness.run(shape[0] * shape[2]) { try reduce.enqueue(on: $0, x: input, y: $1) }
        let expected = lines(x, shape).map { Float(function($0.map { Double($0) })) }
        OpenCLHarness.expectClose(found, expected, tolerance: 2e-5, "\(kind) of \(shape)")
      }
    }
  }

  @Test func theSumOfExponentialsDoesNotOverflow() throws {
    let x: [Float] = [1000, 1000, -.infinity, -.infinity, .infinity, 0]
    let reduce = try CLReduce(OpenCLHarness.context(), .logSumExp, outer: 3, axis: 2, inner: 1)
    let input = try OpenCLHarness.upload(x)
    let found = try OpenCLHarness.run(3) { try reduce.enqueue(on: $0, x: input, y: $1) }
    OpenCLHarness.expectClose(found, [1000 + Float(M_LN2), -.infinity, .infinity])
  }

  @Test func places() throws {
    for shape in Self.shapes {
      // Few distinct values, so that ties occur and the first position must win.
      let x = OpenCLHarness.numbers(shape.reduce(1, *)).map { ($0 * 4).rounded() }
      let input = try OpenCLHarness.upload(x)
      for isMax in [true, false] {
        let arg = try CLArg(OpenCLHarness.context(), isMax: isMax, outer: shape[0], axis: shape[1], inner: shape[2])
        let found = try OpenCLHarness.run(shape[0] * shape[2], initial: Int32(-7)) {
          try arg.enqueue(on: $0, x: input, y: $1)
        }
        let expected = lines(x, shape).map { line -> Int32 in
          let best = isMax ? line.max() : line.min()
          return Int32(line.firstIndex { $0 == best } ?? -1)
        }
        #expect(found == expected, "\(shape)")
      }
    }
  }

  @Test func softmax() throws {
    for shape in Self.shapes {
      let x = OpenCLHarness.numbers(shape.reduce(1, *)).map { $0 * 100 }
      let softmax = try CLSoftmax(OpenCLHarness.context(), outer: shape[0], axis: shape[1], inner: shape[2])
      let input = try OpenCLHarness.upload(x)
      let found = try OpenCLHarness.run(x.count) { try softmax.enqueue(on: $0, x: input, y: $1) }
      for (line, result) in zip(lines(x, shape), lines(found, shape)) {
        let exponentials = line.map { exp(Double($0) - Double(line.max() ?? 0)) }
        let sum = exponentials.reduce(0, +)
        OpenCLHarness.expectClose(result, exponentials.map { Float($0 / sum) }, "\(shape)")
      }
      let queue = try OpenCLHarness.context().makeQueue()
      try softmax.enqueue(on: queue, x: input, y: input)
      #expect(try OpenCLHarness.download(input, as: 0, on: queue) == found, "in place")
    }
  }

  @Test(arguments: [3, 64, 264, 700, 2048]) func rowsAreNormalized(count: Int) throws {
    let context = try OpenCLHarness.context()
    let x = OpenCLHarness.numbers(6 * count).map { $0 + 5 }
    let (gamma, beta) = (OpenCLHarness.numbers(count, seed: 2), OpenCLHarness.numbers(count, seed: 3))
    let (a, g, b) = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(gamma), try OpenCLHarness.upload(beta))
    for (hasGamma, hasBeta) in [(true, true), (false, true), (true, false), (false, false)] {
      let layer = try CLNormalize(
        context, .layer(rows: 6, count: count), epsilon: 1e-3, hasGamma: hasGamma, hasBeta: hasBeta)
      let instance = try CLNormalize(
        context, .instance(images: 2, channels: 3, count: count), epsilon: 1e-3, hasGamma: hasGamma, hasBeta: hasBeta)
      let byPlace = try OpenCLHarness.run(x.count) {
        try layer.enqueue(on: $0, x: a, gamma: hasGamma ? g : nil, beta: hasBeta ? b : nil, y: $1)
      }
      let byChannel = try OpenCLHarness.run(x.count) {
        try instance.enqueue(on: $0, x: a, gamma: hasGamma ? g : nil, beta: hasBeta ? b : nil, y: $1)
      }
      func expected(_ factor: (Int, Int) -> Int) -> [Float] {
        (0..<6).flatMap { row -> [Float] in
          let line = x[row * count..<(row + 1) * count].map { Double($0) }
          let mean = line.reduce(0, +) / Double(count)
          let variance = line.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
          return line.indices.map { place in
            let value = (line[place] - mean) / (variance + 1e-3).squareRoot()
            let index = factor(row, place)
            return Float(value * (hasGamma ? Double(gamma[index]) : 1) + (hasBeta ? Double(beta[index]) : 0))
          }
        }
      }
      OpenCLHarness.expectClose(byPlace, expected { $1 }, tolerance: 2e-5, "layer norm of \(count)")
      OpenCLHarness.expectClose(byChannel, expected { row, _ in row % 3 }, tolerance: 2e-5, "instance norm of \(count)")
    }
    try expectRowsByWarps(count)
    let l2 = try CLNormalize(context, .l2(rows: 6, count: count), epsilon: 0.5)
    let found = try OpenCLHarness.run(x.count) { try l2.enqueue(on: $0, x: a, y: $1) }
    let expected = x.indices.map { index -> Float in
      let line = x[index / count * count..<(index / count + 1) * count]
      let squares = line.reduce(0.5) { $0 + Double($1) * Double($1) }
      return Float(Double(x[index]) / squares.squareRoot())
    }
    OpenCLHarness.expectClose(found, expected, "l2 norm of \(count)")
  }

  /// One warp per row gives the results of a work-group, also when results are rounded to fp16. Rows start within a
  /// chunk and at a chunk.
  private func expectRowsByWarps(_ count: Int) throws {
    guard count % 8 == 0, !OpenCLHarness.isSimulated || count < 1000 else { return }
    let context = try OpenCLHarness.context()
    let warps = context.features.warps(for: .attention) ?? .plain
    let x = OpenCLHarness.numbers(6 * count).map { Float16($0) }
    let (gamma, beta) = (OpenCLHarness.numbers(count, seed: 2), OpenCLHarness.numbers(count, seed: 3))
    let kinds = [CLNormalize.Kind.layer(rows: 6, count: count), .instance(images: 2, channels: 3, count: count)]
    for (number, kind) in kinds.enumerated() {
      for padding in [3, 8] {
        let a = try OpenCLHarness.upload(x, padding: padding)
        let g = try OpenCLHarness.upload(gamma, padding: padding)
        let b = try OpenCLHarness.upload(beta, padding: padding)
        let found = try [nil, warps].map { warps -> [Float16] in
          let norm = try CLNormalize(
            context, kind, epsilon: 1e-3, hasGamma: true, hasBeta: number == 0, f16: [.first, .result], warps: warps)
          return try OpenCLHarness.run(x.count, initial: Float16.nan) {
            try norm.enqueue(on: $0, x: a, gamma: g, beta: number == 0 ? b : nil, y: $1)
          }
        }
        OpenCLHarness.expectClose(
          found[1].map { Float($0) }, found[0].map { Float($0) }, tolerance: 1e-3, "\(kind) by warps")
      }
    }
  }

  @Test func channelsAreNormalized() throws {
    let context = try OpenCLHarness.context()
    let x = OpenCLHarness.numbers(2 * 3 * 7)
    let (mean, gamma, beta): ([Float], [Float], [Float]) = ([0.5, -1, 2], [1, 2, -3], [0.25, 0, -1])
    let variance: [Float] = [1, 0.25, 4]
    let (a, m, v) = (try OpenCLHarness.upload(x), try OpenCLHarness.upload(mean), try OpenCLHarness.upload(variance))
    let (g, b) = (try OpenCLHarness.upload(gamma), try OpenCLHarness.upload(beta))
    let norm = try CLNormalize(
      context, .batch(images: 2, channels: 3, count: 7), epsilon: 0.1, hasGamma: true, hasBeta: true)
    let found = try OpenCLHarness.run(x.count) {
      try norm.enqueue(on: $0, x: a, mean: m, variance: v, gamma: g, beta: b, y: $1)
    }
    let expected = x.indices.map { index -> Float in
      let channel = index / 7 % 3
      let centred = (x[index] - mean[channel]) / (variance[channel] + 0.1).squareRoot()
      return centred * gamma[channel] + beta[channel]
    }
    OpenCLHarness.expectClose(found, expected)
    let queue = try context.makeQueue()
    #expect(throws: KernelError.self) { try norm.enqueue(on: queue, x: a, gamma: g, beta: b, y: a) }
    #expect(throws: KernelError.self) { try norm.enqueue(on: queue, x: a, mean: m, variance: v, y: a) }
  }

  /// The elements along the middle axis, for every position of the other axes.
  private func lines(_ x: [Float], _ shape: [Int]) -> [[Float]] {
    (0..<shape[0] * shape[2]).map { place in
      (0..<shape[1]).map { x[(place / shape[2] * shape[1] + $0) * shape[2] + place % shape[2]] }
    }
  }
}
