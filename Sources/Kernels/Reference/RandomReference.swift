import CoreMLBase
import Foundation
import MIL

enum RandomReference {
  static let all: [Reference] = [
    made("random_bernoulli") { random, call in
      let probability = try call.invocation.double("prob", default: 0.5)
      return { random.unit() < probability ? 1 : 0 }
    },
    made("random_uniform") { random, call in
      let low = try call.invocation.double("low", default: 0)
      let high = try call.invocation.double("high", default: 1)
      return { low + (high - low) * random.unit() }
    },
    made("random_normal") { random, call in
      let mean = try call.invocation.double("mean", default: 0)
      let deviation = try call.invocation.double("stddev", default: 1)
      return { mean + deviation * random.normal() }
    },
    Reference("random_categorical") { call in
      let random = RandomSource(seed: try call.invocation.int("seed", default: -1))
      let isLogits = try call.invocation.string("mode", default: "logits") != "probs"
      let size = try call.invocation.int("size", default: 1)
      let shape = try call.sizes("x")
      let lines = Axis(shape, shape.count - 1)
      try call.admitNumbers()
      return [
        try call.result(
          lines.map(call.doubles("x")) { line in
            let top = line.max() ?? 0
            let weights = isLogits ? line.map { exp($0 - top) } : line
            let total = weights.reduce(0, +)
            return (0..<size).map { _ in
              var rest = random.unit() * total
              return Double(
                weights.firstIndex {
                  rest -= $0; return rest < 0
                } ?? weights.count - 1)
            }
          })
      ]
    },
  ]

  private static func made(
    _ name: String, _ distribution: @escaping @Sendable (RandomSource, ReferenceCall) throws -> () -> Double
  ) -> Reference {
    Reference(name) { call in
      let random = RandomSource(seed: try call.invocation.int("seed", default: -1))
      let next = try distribution(random, call)
      try call.admitNumbers()
      var point = CancellationPoint()
      return [
        try call.result(
          (0..<(call.outputSizes().reduce(1, *))).map { _ in
            try point.pass()
            return next()
          })
      ]
    }
  }
}

/// Random values: the same for the same seed, different each time for a negative seed.
final class RandomSource {
  private var state: UInt64

  init(seed: Int) { state = seed < 0 ? UInt64.random(in: 0 ... .max) : UInt64(seed) }

  /// SplitMix64.
  private func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Uniform in 0..<1.
  func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  /// The Box-Muller transform.
  func normal() -> Double { (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()) }
}
