import CoreMLBase
import Foundation
import MIL

enum ActivationReference {
  static let all: [Reference] = [
    fused("relu", .relu), fused("relu6", .relu6), fused("sigmoid", .sigmoid), fused("silu", .silu),
    fused("softplus", .softplus), fused("softsign", .softsign),
    fused("clamped_relu", .clampedRelu),
    fused("elu", .elu, alpha: 1),
    fused("leaky_relu", .leakyRelu, alpha: 0.01),
    fused("linear_activation", .linear, alpha: 1, beta: 0),
    fused("scaled_tanh", .scaledTanh, alpha: 1, beta: 1),
    fused("sigmoid_hard", .sigmoidHard, alpha: 0.2, beta: 0.5),
    fused("thresholded_relu", .thresholdedRelu, alpha: 1),
    Reference.numeric("gelu") { call in
      try call.doubles("x").mapped(FusedActivation(geluOf: call.invocation).callAsFunction)
    },
    perChannel("prelu") { x, p in x >= 0 ? x : p[0] * x },
    // alpha log(1 + exp(beta x)), without overflow.
    perChannel("softplus_parametric") { x, p in p[0] * (max(p[1] * x, 0) + log1p(exp(-abs(p[1] * x)))) },
    Reference.numeric("softmax") { call in
      let axis = try call.invocation.axis("axis", default: -1, rank: call.sizes("x").count)
      return try Axis(call.sizes("x"), axis).map(call.doubles("x")) { values in
        let top = values.max() ?? 0
        let powers = values.map { exp($0 - top) }
        let sum = powers.reduce(0, +)
        return powers.map { $0 / sum }
      }
    },
    Reference("select") { call in
      let shape = try call.outputSizes()
      let condition = Broadcast(from: try call.sizes("cond"), to: shape)
      let first = Broadcast(from: try call.sizes("a"), to: shape)
      let second = Broadcast(from: try call.sizes("b"), to: shape)
      let truth = try call.doubles("cond")
      let a = try call.doubles("a")
      let b = try call.doubles("b")
      return [
        try call.result(
          try Indices(shape).map { truth[condition.offset($0)] != 0 ? a[first.offset($0)] : b[second.offset($0)] })
      ]
    },
  ]

  private static func fused(
    _ name: String, _ kind: FusedActivation.Name, alpha: Double = 0, beta: Double = 0
  ) -> Reference {
    Reference.numeric(name) { call in
      let function = FusedActivation(
        kind, alpha: try call.invocation.double("alpha", default: alpha),
        beta: try call.invocation.double("beta", default: beta))
      return try call.doubles("x").mapped(function.callAsFunction)
    }
  }

  /// Parameters have one value for each channel, axis 1.
  private static func perChannel(
    _ name: String, _ function: @escaping @Sendable (Double, [Double]) -> Double
  ) -> Reference {
    Reference.numeric(name) { call in
      let shape = try call.sizes("x")
      let alpha = try call.doubles("alpha")
      let beta = try call.has("beta") ? call.doubles("beta") : alpha
      let inner = shape[2...].reduce(1, *)
      var point = CancellationPoint()
      return try call.doubles("x").enumerated().map { index, x in
        try point.pass()
        let channel = index / max(inner, 1) % shape[1]
        return function(x, [alpha[channel], beta[channel]])
      }
    }
  }
}

extension FusedActivation {
  /// The kind of `gelu` that its `mode` selects.
  init(geluOf call: Invocation) throws {
    switch try call.string("mode", default: "EXACT") {
    case "EXACT": self.init(.gelu)
    case "TANH_APPROXIMATION": self.init(.geluTanh)
    case "SIGMOID_APPROXIMATION": self.init(.geluSigmoid)
    case let word: throw call.error(.invalidArgument, "the mode '\(word)' is unknown")
    }
  }
}
