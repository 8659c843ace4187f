extension Operations {
  /// Unary operations that keep shape and type (coremltools: `elementwise_unary`).
  static let elementwiseUnary: [OperationDefinition] =
    [
      "abs", "acos", "asin", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "exp2", "floor", "round", "sign",
      "sin", "sinh", "sqrt", "square", "tan", "tanh",
    ].map { unary($0) } + [
      unary("logical_not"),
      unary("clip", [.required("alpha"), .required("beta")]),
      unary("threshold", [.required("alpha")]),
      unary("inverse", [.optional("epsilon")]),
      unary("log", [.optional("epsilon")]),
      unary("rsqrt", [.optional("epsilon")]),
      OperationDefinition("cast", [.required("x"), .required("dtype")]) { call in
        [.tensor(try call.tensor("x").with(scalar: call.scalarType("dtype")))]
      },
    ]

  /// An operation whose output has the type of `x`.
  static func unary(_ name: String, _ more: [Parameter] = []) -> OperationDefinition {
    OperationDefinition(name, [.required("x")] + more) { [.tensor(try $0.tensor("x"))] }
  }
}
