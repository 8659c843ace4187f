/// Operations for training. A trainable model marks its parameters and the input of its loss. The gradient pass creates
/// the others where no existing operation fits.
enum TrainingOperations {
  static let all: [OperationDefinition] = [
    // A parameter that training may change. Returns x. `layer` and `role` ("weights", "biases", ...) identify it for
    // the application.
    .movement("train.parameter", [.required("x"), .required("layer"), .required("role")]) { call in
      _ = try (call.string("layer"), call.string("role"))
      return [.tensor(try call.tensor("x"))]
    },
    // The value that the loss compares with the training input `target`. Returns x. Removed for predictions.
    .movement(
      "train.loss", [.required("x"), .required("kind"), .required("target"), .required("optimizer")]
    ) { call in
      let x = try call.tensor("x")
      _ = try (LossKind(call), OptimizerKind(call), call.string("target"))
      return [.tensor(x)]
    },
    // The gradient of a `conv` with respect to its weight. Of `weight`, only the type is read.
    OperationDefinition(
      "train.conv_weight", [.required("gradient")] + Convolution.parameters,
      work: { call, _ in
        Work(
          flops: Convolution.work(call, [.tensor((try? Convolution.outputType(call)) ?? TensorType(.float32, [0]))])
            .flops)
      }
    ) { call in
      try requireGradient(call, of: Convolution.outputType(call))
      return [.tensor(try call.tensor("weight"))]
    },
    // The gradient of a `max_pool` with respect to x. The gradient of each window goes to its first greatest element.
    OperationDefinition(
      "train.max_pool", [.required("gradient")] + Pooling.parameters, work: { Pooling.work($0, $1) }
    ) { call in
      try requireGradient(call, of: Pooling.outputType(call))
      return [.tensor(try call.tensor("x"))]
    },
    // Each element of x gets the sum of `gradient` over all windows that contain it. Of x, only the type is read.
    OperationDefinition(
      "train.pool_sum", [.required("gradient")] + Pooling.parameters, work: { Pooling.work($0, $1) }
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

/// The loss that training minimizes.
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

/// The optimizer that updates parameters.
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
