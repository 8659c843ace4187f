/// Activations. The output has the type of `x` (coremltools: `activation`).
enum ActivationOperations {
  static let all: [OperationDefinition] =
    [
      .unary("relu"), .unary("relu6"), .unary("sigmoid"), .unary("silu"), .unary("softplus"), .unary("softsign"),
      .unary("clamped_relu", [.required("alpha"), .required("beta")]),
      .unary("elu", [.optional("alpha")]),
      .unary("gelu", [.optional("mode")]),
      .unary("leaky_relu", [.optional("alpha")]),
      .unary("linear_activation", [.optional("alpha"), .optional("beta")]),
      .unary("scaled_tanh", [.optional("alpha"), .optional("beta")]),
      .unary("sigmoid_hard", [.optional("alpha"), .optional("beta")]),
      .unary("thresholded_relu", [.optional("alpha")]),
      perChannel("prelu", [.required("alpha")]),
      perChannel("softplus_parametric", [.required("alpha"), .required("beta")]),
      OperationDefinition("softmax", [.required("x"), .optional("axis")]) { call in
        let x = try call.tensor("x")
        _ = try call.axis("axis", default: -1, rank: x.rank)
        return [.tensor(x)]
      },
      OperationDefinition("select", [.required("cond"), .required("a"), .required("b")]) { call in
        let a = try call.tensor("a")
        guard try call.tensor("b").scalar == a.scalar else {
          throw call.error(.invalidType, "'a' is \(a) and 'b' \(try call.tensor("b")): they must be of one type")
        }
        let shape = try call.broadcast(call.broadcast(a.shape, call.shape("b")), call.shape("cond"))
        return [.tensor(TensorType(a.scalar, shape))]
      },
    ]

  /// Activations whose parameters are vectors with one value per channel (axis 1).
  private static func perChannel(_ name: String, _ parameters: [Parameter]) -> OperationDefinition {
    OperationDefinition(name, [.required("x")] + parameters) { call in
      let x = try call.tensor("x")
      guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' is \(x), it needs a channel axis") }
      for parameter in parameters {
        guard try call.length(parameter.name).agrees(with: x.shape[1]) else {
          throw call.error(.invalidShape, "'\(parameter.name)' must have one value per channel of \(x)")
        }
      }
      return [.tensor(x)]
    }
  }
}
