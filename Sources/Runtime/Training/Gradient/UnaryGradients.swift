import Foundation
import MIL

/// Elementwise operations: dx = dy f'(x). Where f is not differentiable, the derivative is the one of PyTorch.
enum UnaryGradients {
  static let rules: [GradientRule] =
    [
      product("acos") { e, x, _ in try e.neg(e.exactly("rsqrt", e.sub(1, e.square(x)))) },
      product("asin") { e, x, _ in try e.exactly("rsqrt", e.sub(1, e.square(x))) },
      product("atan") { e, x, _ in try e.exactly("inverse", e.add(e.square(x), 1)) },
      product("atanh") { e, x, _ in try e.exactly("inverse", e.sub(1, e.square(x))) },
      product("cos") { e, x, _ in try e.neg(e.unary("sin", x)) },
      product("cosh") { e, x, _ in try e.unary("sinh", x) },
      product("erf") { e, x, _ in try e.mul(e.unary("exp", e.neg(e.square(x))), 2 / Double.pi.squareRoot()) },
      product("exp") { _, _, y in y },
      product("exp2") { e, _, y in try e.mul(y, log(2)) },
      product("sin") { e, x, _ in try e.unary("cos", x) },
      product("sinh") { e, x, _ in try e.unary("cosh", x) },
      product("sqrt") { e, _, y in try e.mul(e.exactly("inverse", y), 0.5) },
      product("square") { e, x, _ in try e.mul(x, 2) },
      product("tan") { e, _, y in try e.add(e.square(y), 1) },
      product("tanh") { e, _, y in try e.sub(1, e.square(y)) },
      product("sigmoid") { e, _, y in try e.mul(y, e.sub(1, y)) },
      product("softplus") { e, x, _ in try e.unary("sigmoid", x) },
      product("abs") { e, x, _ in try e.unary("sign", x) },
      product("nn.asinh") { e, x, _ in try e.exactly("rsqrt", e.add(e.square(x), 1)) },
      product("nn.acosh") { e, x, _ in try e.exactly("rsqrt", e.add(e.square(x), -1)) },
      GradientRule("inverse") { call in
        try call.give("x") { try call.emit.neg(call.emit.mul(call.gradient, call.emit.square(call.y))) }
      },
      GradientRule("rsqrt") { call in
        let e = call.emit
        try call.give("x") { try e.mul(e.mul(call.gradient, -0.5), e.mul(call.y, e.square(call.y))) }
      },
      GradientRule("log") { call in
        let epsilon = try call.invocation.double("epsilon", default: 1e-45)
        try call.give("x") { try call.emit.div(call.gradient, call.emit.add(call.x, epsilon)) }
      },
      // Step functions have the derivative 0.
      GradientRule("ceil", "floor", "round", "sign") { call in
        try call.give("x") { try call.emit.zeros(call.emit.shape(call.x), like: call.x) }
      },
      GradientRule("cast") { call in
        try call.give("x") { try call.emit.cast(call.gradient, to: call.emit.type(call.x).scalar) }
      },
      GradientRule("identity", "train.parameter", "train.loss") { call in try call.give("x") { try call.gradient } },
      kept("relu") { e, x, _ in try e.compare("greater", x, 0) },
      kept("relu6") { e, x, _ in try e.both(e.compare("greater", x, 0), e.compare("less", x, 6)) },
      kept("clip") { e, x, call in
        let (low, high) = (try call.double("alpha"), try call.double("beta"))
        return try e.both(e.compare("greater_equal", x, low), e.compare("less_equal", x, high))
      },
      kept("threshold") { e, x, call in try e.compare("greater", x, call.double("alpha")) },
      kept("thresholded_relu") { e, x, call in try e.compare("greater_equal", x, call.double("alpha", default: 1)) },
      GradientRule("sigmoid_hard") { call in
        let (alpha, beta) = (
          try call.invocation.double("alpha", default: 0.2), try call.invocation.double("beta", default: 0.5)
        )
        let e = call.emit
        try call.give("x") {
          let line = try e.add(e.mul(call.x, alpha), beta)
          return try e.keep(
            e.mul(call.gradient, alpha), where: e.both(e.compare("greater", line, 0), e.compare("less", line, 1)))
        }
      },
      GradientRule("leaky_relu") { call in
        let alpha = try call.invocation.double("alpha", default: 0.01)
        let e = call.emit
        try call.give("x") {
          try e.select(e.compare("greater", call.x, 0), call.gradient, e.mul(call.gradient, alpha))
        }
      },
      GradientRule("elu") { call in
        let alpha = try call.invocation.double("alpha", default: 1)
        let e = call.emit
        try call.give("x") {
          try e.select(
            e.compare("greater", call.x, 0), call.gradient, e.mul(call.gradient, e.add(call.y, alpha)))
        }
      },
    ]

  /// dx = dy f(x, y)
  private static func product(
    _ name: String, _ derivative: @escaping @Sendable (Emitter, Binding, Binding) throws -> Binding
  ) -> GradientRule {
    GradientRule(name) { call in
      try call.give("x") { try call.emit.mul(call.gradient, derivative(call.emit, call.x, call.y)) }
    }
  }

  /// dx = dy where a condition on x holds, otherwise 0.
  private static func kept(
    _ name: String, _ condition: @escaping @Sendable (Emitter, Binding, Invocation) throws -> Binding
  ) -> GradientRule {
    GradientRule(name) { call in
      try call.give("x") {
        try call.emit.keep(call.gradient, where: condition(call.emit, call.x, call.invocation))
      }
    }
  }
}
