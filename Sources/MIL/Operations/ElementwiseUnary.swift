/// Unary operations that keep shape and type (coremltools: `elementwise_unary`).
enum ElementwiseUnaryOperations {
  static let all: [OperationDefinition] =
    [
      "abs", "acos", "asin", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "exp2", "floor", "round", "sign",
      "sin", "sinh", "sqrt", "square", "tan", "tanh",
    ].map { OperationDefinition.unary($0) } + [
      .unary("logical_not"),
      .unary("clip", [.required("alpha"), .required("beta")]),
      .unary("threshold", [.required("alpha")]),
      .unary("inverse", [.optional("epsilon")]),
      .unary("log", [.optional("epsilon")]),
      .unary("rsqrt", [.optional("epsilon")]),
      OperationDefinition("cast", [.required("x"), .required("dtype")]) { call in
        [.tensor(try call.tensor("x").with(scalar: call.scalarType("dtype")))]
      },
    ]
}
