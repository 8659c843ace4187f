/// What training adds to the language. A model that can be trained marks its parameters and what its loss is taken of; the rest is made by
/// the gradient pass where no other operation says it as well.
extension Operations {
  static let training: [OperationDefinition] = [
    // A parameter that training may change: x as it is. `layer` and `role` ("weights", "biases", ...) are its name to the application.
    .movement("train.parameter", [.required("x"), .required("layer"), .required("role")]) { call in
      _ = try (call.string("layer"), call.string("role"))
      return [.tensor(try call.tensor("x"))]
    },
    // The value that the loss compares with the training input `target`: x as it is. Predictions drop it.
    .movement(
      "train.loss", [.required("x"), .required("kind"), .required("target"), .required("optimizer")]
    ) { call in
      let x = try call.tensor("x")
      _ = try (LossKind(call), OptimizerKind(call), call.string("target"))
      return [.tensor(x)]
    },
    // The gradient of a `conv` with respect to its weight: of `weight` only the type is read.
    OperationDefinition(
      "train.conv_weight", [.required("gradient")] + convolutionParameters,
      work: { call, _ in
        Work(
          flops: Convolution.work(call, [.tensor((try? Convolution.outputType(call)) ?? TensorType(.float32, [0]))])
            .flops)
      }
    ) { call in
      try requireGradient(call, of: Convolution.outputType(call))
      return [.tensor(try call.tensor("weight"))]
    },
    // The gradient of a `max_pool` with respect to x: each window's goes to its first greatest element.
    OperationDefinition(
      "train.max_pool", [.required("gradient")] + poolingParameters, work: { Pooling.work($0, $1) }
    ) { call in
      try requireGradient(call, of: Pooling.outputType(call))
      return [.tensor(try call.tensor("x"))]
    },
    // Each element of x gets the sum of `gradient` over the windows that it lies in. Of x only the type is read.
    OperationDefinition(
      "train.pool_sum", [.required("gradient")] + poolingParameters, work: { Pooling.work($0, $1) }
    ) { call in
      try requireGradient(call, of: Pooling.outputType(call))
      return [.tensor(try call.tensor("x"))]
    },
  ]

  private static func requireGradient(_ call: Invocation, of output: TensorType) throws {
    guard try call.tensor("gradient").agrees(with: output) else {
      throw call.error(.invalidShape, "'gradient' is \(try call.tensor("gradient")), the output is \(output)")
    }
  }
}

/// What a training makes small.
package enum LossKind: String, Sendable, CaseIterable {
  case categoricalCrossEntropy = "categorical_cross_entropy"
  case meanSquaredError = "mean_squared_error"

  package init(_ call: Invocation) throws {
    let word = try call.string("kind")
    guard let kind = LossKind(rawValue: word) else {
      throw call.error(.invalidArgument, "the loss '\(word)' is unknown")
    }
    self = kind
  }
}

/// How a training changes parameters.
package enum OptimizerKind: String, Sendable, CaseIterable {
  case sgd
  case adam

  package init(_ call: Invocation) throws {
    let word = try call.string("optimizer")
    guard let kind = OptimizerKind(rawValue: word) else {
      throw call.error(.invalidArgument, "the optimizer '\(word)' is unknown")
    }
    self = kind
  }
}
