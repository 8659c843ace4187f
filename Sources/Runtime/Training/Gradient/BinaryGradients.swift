import MIL

/// Operations with two operands that broadcast. The gradient of an operand is summed over the axes along which it was
/// broadcast.
enum BinaryGradients {
  static let rules: [GradientRule] = [
    GradientRule("add") { call in
      try call.reduced("x") { try call.gradient }
      try call.reduced("y") { try call.gradient }
    },
    GradientRule("sub") { call in
      try call.reduced("x") { try call.gradient }
      try call.reduced("y") { try call.emit.neg(call.gradient) }
    },
    GradientRule("mul") { call in
      try call.reduced("x") { try call.emit.mul(call.gradient, call.argument("y")) }
      try call.reduced("y") { try call.emit.mul(call.gradient, call.x) }
    },
    GradientRule("real_div") { call in
      let e = call.emit
      let quotient = try e.div(call.gradient, call.argument("y"))
      try call.reduced("x") { quotient }
      try call.reduced("y") { try e.neg(e.mul(quotient, call.y)) }
    },
    // x - floor(x / y) y
    GradientRule("mod") { call in
      let e = call.emit
      try call.reduced("x") { try call.gradient }
      try call.reduced("y") {
        try e.neg(e.mul(call.gradient, e("floor_div", ["x": call.x, "y": call.argument("y")])))
      }
    },
    GradientRule("floor_div") { call in
      try call.reduced("x") { try call.emit.zeros(call.emit.shape(call.x), like: call.x) }
      try call.reduced("y") { try call.emit.zeros(call.emit.shape(call.argument("y")), like: call.x) }
    },
    GradientRule("pow") { call in
      let e = call.emit
      let exponent = try call.argument("y")
      try call.reduced("x") {
        let slope = try e.mul(exponent, e.pow(call.x, e.add(exponent, -1)))
        // x^0 is 1 for every x, so the slope is 0. The formula could give NaN (0 times infinity).
        return try e.mul(call.gradient, e.keep(slope, where: e.compare("not_equal", exponent, 0)))
      }
      try call.reduced("y") {
        // 0^y is 0 for every positive y, so the gradient is 0. The formula would take the logarithm of 0.
        let logarithm = try e.exactly("log", e.select(e.compare("equal", call.x, 0), e.number(1, like: call.x), call.x))
        return try e.mul(call.gradient, e.mul(call.y, logarithm))
      }
    },
    extremum("maximum", "greater"),
    extremum("minimum", "less"),
  ]

  static let selection: [GradientRule] = [
    GradientRule("select") { call in
      let condition = try call.argument("cond")
      try call.reduced("a") { try call.emit.keep(call.gradient, where: condition) }
      try call.reduced("b") {
        let zero = try call.emit.number(0, like: call.gradient)
        return try call.emit.select(condition, zero, call.gradient)
      }
    }
  ]

  /// The selected operand gets the gradient; if both are equal, each gets half of it.
  private static func extremum(_ name: String, _ isTaken: String) -> GradientRule {
    GradientRule(name) { call in
      let e = call.emit
      let (x, y) = (try call.x, try call.argument("y"))
      let half = try e.mul(call.gradient, 0.5)
      func share(_ a: Binding, _ b: Binding) throws -> Binding {
        let zero = try e.number(0, like: half)
        return try e.select(
          e.compare(isTaken, a, b), call.gradient, e.select(e.compare("equal", a, b), half, zero))
      }
      try call.reduced("x") { try share(x, y) }
      try call.reduced("y") { try share(y, x) }
    }
  }
}

extension GradientCall {
  /// Sets the gradient of an operand that may have been broadcast.
  func reduced(_ parameter: String, _ value: () throws -> Binding) throws {
    try give(parameter) {
      let shape = try emit.shape(argument(parameter))
      return try emit.reduced(value(), to: shape)
    }
  }
}
