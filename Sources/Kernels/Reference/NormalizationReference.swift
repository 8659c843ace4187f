import CoreMLBase
import Foundation
import MIL

enum NormalizationReference {
  static let all: [Reference] = [
    Reference.numeric("batch_norm") { call in
      let mean = try call.doubles("mean")
      let variance = try call.doubles("variance")
      let affine = try Affine(call)
      let epsilon = try call.invocation.double("epsilon", default: 1e-5)
      return try channels(call) { line, channel in
        line.map { affine(($0 - mean[channel]) / (variance[channel] + epsilon).squareRoot(), channel) }
      }
    },
    Reference.numeric("instance_norm") { call in
      let affine = try Affine(call)
      let epsilon = try call.invocation.double("epsilon", default: 1e-5)
      return try channels(call) { line, channel in standardised(line, epsilon).map { affine($0, channel) } }
    },
    Reference.numeric("layer_norm") { call in
      let shape = try call.sizes("x")
      let axes = try call.invocation.axes("axes", default: Array(shape.indices), rank: shape.count)
      let affine = try Affine(call)
      let epsilon = try call.invocation.double("epsilon", default: 1e-5)
      let group = Broadcast(from: shape.enumerated().map { axes.contains($0.offset) ? 1 : $0.element }, to: shape)
      let parameter = Broadcast(from: shape.enumerated().map { axes.contains($0.offset) ? $0.element : 1 }, to: shape)
      let x = try call.doubles("x")
      // Each group is an array in a dictionary. In the worst case every element has its own group.
      try MemoryBudget.current.admit(x.count, of: 64, for: "the groups of 'layer_norm'")
      var members: [Int: [Int]] = [:]
      var parameters = [Int](repeating: 0, count: x.count)
      var point = CancellationPoint()
      for (number, index) in Indices(shape).enumerated() {
        try point.pass()
        members[group.offset(index), default: []].append(number)
        parameters[number] = parameter.offset(index)
      }
      var result = x
      for line in members.values {
        for (number, value) in zip(line, standardised(line.map { x[$0] }, epsilon)) {
          result[number] = affine(value, parameters[number])
        }
      }
      return result
    },
    // x / sqrt(sum of squares over the last three axes + epsilon)
    Reference.numeric("l2_norm") { call in
      let shape = try call.sizes("x")
      let epsilon = try call.invocation.double("epsilon", default: 1e-6)
      let size = shape.suffix(3).reduce(1, *)
      let x = try call.doubles("x")
      var point = CancellationPoint()
      return try x.indices.map { index in
        try point.pass(size)
        let first = index / size * size
        let sum = x[first..<(first + size)].reduce(0) { $0 + $1 * $1 }
        return x[index] / (sum + epsilon).squareRoot()
      }
    },
    // x / (k + alpha / size * sum of squares of the neighboring channels)^beta
    Reference.numeric("local_response_norm") { call in
      let shape = try call.sizes("x")
      let size = try call.invocation.int("size")
      let alpha = try call.invocation.double("alpha", default: 1e-4)
      let beta = try call.invocation.double("beta", default: 0.75)
      let k = try call.invocation.double("k", default: 1)
      return try Axis(shape, 1).map(call.doubles("x")) { line in
        line.indices.map { channel in
          let around = max(channel - size / 2, 0)...min(channel + (size - 1) / 2, line.count - 1)
          let sum = line[around].reduce(0) { $0 + $1 * $1 }
          return line[channel] / pow(k + alpha / Double(size) * sum, beta)
        }
      }
    },
  ]

  private static func standardised(_ line: [Double], _ epsilon: Double) -> [Double] {
    let mean = line.reduce(0, +) / Double(line.count)
    let variance = line.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(line.count)
    return line.map { ($0 - mean) / (variance + epsilon).squareRoot() }
  }

  /// Applies `function` to every (batch, channel) of `x`.
  static func channels(_ call: ReferenceCall, _ function: ([Double], Int) -> [Double]) throws -> [Double] {
    let shape = try call.sizes("x")
    let inner = shape[2...].reduce(1, *)
    let x = try call.doubles("x")
    var point = CancellationPoint()
    return try (0..<shape[0] * shape[1]).flatMap { line in
      try point.pass(inner)
      return function(Array(x[line * inner..<(line + 1) * inner]), line % shape[1])
    }
  }

  /// gamma x + beta, by channel.
  private struct Affine {
    let gamma: [Double]?
    let beta: [Double]?

    init(_ call: ReferenceCall) throws {
      gamma = try call.has("gamma") ? call.doubles("gamma") : nil
      beta = try call.has("beta") ? call.doubles("beta") : nil
    }

    func callAsFunction(_ x: Double, _ channel: Int) -> Double { x * (gamma?[channel] ?? 1) + (beta?[channel] ?? 0) }
  }
}
