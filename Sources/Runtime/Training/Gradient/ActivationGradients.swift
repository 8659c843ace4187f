import Foundation
import MIL

/// Activations, decomposed into operations that have gradient rules.
enum ActivationGradients {
  static let forms: [GradientDefinition] = [
    .single("silu") { try $0.emit.activation(FusedActivation(.silu), $0.x) },
    .single("softsign") { try $0.emit.activation(FusedActivation(.softsign), $0.x) },
    parametric("scaled_tanh", .scaledTanh, alpha: 1, beta: 1),
    parametric("clamped_relu", .clampedRelu, alpha: 0, beta: 0),
    parametric("linear_activation", .linear, alpha: 1, beta: 0),
    .single("gelu") { call in
      switch try call.invocation.string("mode", default: "EXACT") {
      case "EXACT": return try call.emit.activation(FusedActivation(.gelu), call.x)
      case "TANH_APPROXIMATION": return try call.emit.activation(FusedActivation(.geluTanh), call.x)
      case "SIGMOID_APPROXIMATION": return try call.emit.activation(FusedActivation(.geluSigmoid), call.x)
      case let word: throw call.invocation.error(.invalidArgument, "the mode '\(word)' is unknown")
      }
    },
    .single("prelu") { call in
      let e = call.emit
      let negative = try e.mul(call.x, call.perChannel("alpha"))
      return try e.select(e.compare("greater", call.x, 0), call.x, negative)
    },
    // alpha log(1 + exp(beta x))
    .single("softplus_parametric") { call in
      let e = call.emit
      return try e.mul(e.unary("softplus", e.mul(call.x, call.perChannel("beta"))), call.perChannel("alpha"))
    },
  ]

  private static func parametric(
    _ name: String, _ kind: FusedActivation.Name, alpha: Double, beta: Double
  ) -> GradientDefinition {
    .single(name) { call in
      let activation = FusedActivation(
        kind, alpha: try call.invocation.double("alpha", default: alpha),
        beta: try call.invocation.double("beta", default: beta))
      return try call.emit.activation(activation, call.x)
    }
  }
}

extension FormCall {
  /// Reshapes a vector with one value per channel (axis 1) of x so that it broadcasts over x.
  func perChannel(_ parameter: String) throws -> Binding {
    let vector = try argument(parameter)
    let count = try emit.shape(vector).reduce(1, *)
    return try emit.reshape(vector, [1, count] + Array(repeating: 1, count: emit.rank(x) - 2))
  }
}

extension Emitter {
  /// Computes an activation with operations that have gradient rules.
  func activation(_ activation: FusedActivation, _ x: Binding) throws -> Binding {
    let (alpha, beta) = (activation.alpha, activation.beta)
    func scalar(_ name: String, of inner: Binding? = nil, _ parameters: [String: Double]) throws -> Binding {
      var arguments = ["x": inner ?? x]
      for (parameter, value) in parameters { arguments[parameter] = try number(value, like: x) }
      return try self(name, arguments)
    }
    switch activation.name {
    case .linear: return try add(mul(x, alpha), beta)
    case .relu, .relu6, .sigmoid, .tanh, .softplus: return try unary(activation.name.rawValue, x)
    case .leakyRelu, .elu, .thresholdedRelu: return try scalar(activation.name.rawValue, ["alpha": alpha])
    case .sigmoidHard, .clip: return try scalar(activation.name.rawValue, ["alpha": alpha, "beta": beta])
    case .clampedRelu:
      return try self("minimum", ["x": scalar("leaky_relu", ["alpha": alpha]), "y": number(beta, like: x)])
    case .hardSwish: return try mul(mul(x, unary("relu6", add(x, 3))), 1 / 6)
    case .hardSwishScaled:
      return try mul(x, scalar("clip", of: add(mul(x, alpha), beta / 2), ["alpha": 0, "beta": beta]))
    case .hardSwishCut:
      let cut = try scalar("thresholded_relu", ["alpha": beta])
      return try mul(cut, scalar("sigmoid_hard", of: cut, ["alpha": alpha, "beta": 0.5]))
    case .scaledTanh: return try mul(unary("tanh", mul(x, beta)), alpha)
    case .silu: return try mul(x, unary("sigmoid", x))
    case .softsign: return try div(x, add(unary("abs", x), 1))
    case .gelu: return try mul(mul(x, add(unary("erf", mul(x, 1 / 2.0.squareRoot())), 1)), 0.5)
    case .geluTanh:
      let inner = try mul(add(x, mul(mul(square(x), x), 0.044715)), (2 / Double.pi).squareRoot())
      return try mul(mul(x, add(unary("tanh", inner), 1)), 0.5)
    case .geluSigmoid: return try mul(x, unary("sigmoid", mul(x, 1.702)))
    case .mish: return try mul(x, unary("tanh", unary("softplus", x)))
    case .steps, .positiveSteps:
      let step = try unary("round", div(x, number(alpha, like: x)))
      let (low, high) = activation.name == .steps ? (beta, beta + 255) : (0, beta)
      return try mul(self("clip", ["x": step, "alpha": number(low, like: x), "beta": number(high, like: x)]), alpha)
    }
  }
}
