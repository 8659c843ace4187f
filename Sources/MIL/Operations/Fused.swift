/// Operations that device passes create in place of several others. They do not occur in model files.
///
/// y = activation(product + bias + add). `activation` is the name of a `FusedActivation`, with `alpha` and `beta` if it
/// has them. `add` has the shape of the result. If `x` is known to be quantized, its values are n * `x_step` for
/// integers n from `x_low` to `x_low + 255`.
enum FusedOperations {
  static let all: [OperationDefinition] = [
    OperationDefinition(
      "fused.conv", Convolution.parameters + fusedParameters + stepParameters, work: { Convolution.work($0, $1) }
    ) { call in [.tensor(try requireFused(call, Convolution.outputType(call)))] },
    // `weight` is [N, K] as in `linear`, or [K, N] if `transpose_weight` is false, as in the second operand of
    // `matmul`.
    OperationDefinition(
      "fused.linear",
      [.required("x"), .required("weight"), .optional("bias"), .optional("transpose_weight")] + fusedParameters
        + stepParameters,
      work: { MatrixProduct.work($0, $1, depth: "x") }
    ) { call in
      let x = try call.tensor("x")
      let weight = try call.shape("weight")
      let isTransposed = try call.bool("transpose_weight", default: true)
      guard let depth = x.shape.last, weight.count == 2, weight[isTransposed ? 1 : 0].agrees(with: depth) else {
        throw call.error(.invalidShape, "'x' is \(x) and 'weight' \(weight): their products do not agree")
      }
      let columns = weight[isTransposed ? 0 : 1]
      try Convolution.requireBias(call, channels: columns)
      return [.tensor(try requireFused(call, TensorType(x.scalar, Array(x.shape.dropLast()) + [columns])))]
    },
    // Constants concatenated along their first axis.
    OperationDefinition("constexpr_rows", [.required("first"), .required("second"), .optional("third")]) { call in
      let first = try call.tensor("first")
      var shape = first.shape
      guard !shape.isEmpty else { throw call.error(.invalidShape, "'first' is a scalar") }
      for name in ["second", "third"] where call.has(name) {
        let next = try call.tensor(name)
        guard next.scalar == first.scalar, next.shape.count == shape.count,
          zip(next.shape, shape).dropFirst().allSatisfy({ $0.agrees(with: $1) })
        else { throw call.error(.invalidShape, "'first' is \(first) and '\(name)' \(next): their rows are not alike") }
        shape[0] = shape[0] + next.shape[0]
      }
      return [.tensor(TensorType(first.scalar, shape))]
    },
    // `count` rows of a constant along its first axis, starting at `begin`.
    OperationDefinition("constexpr_part", [.required("data"), .required("begin"), .required("count")]) { call in
      let data = try call.tensor("data")
      let (begin, count) = (try call.int("begin", atLeast: 0), try call.int("count", atLeast: 0))
      guard let rows = data.shape.first else { throw call.error(.invalidShape, "'data' is a scalar") }
      let (end, overflow) = begin.addingReportingOverflow(count)
      guard !overflow, rows.value.map({ end <= $0 }) ?? true else {
        throw call.error(.invalidArgument, "\(count) rows from \(begin) on are not in \(data)")
      }
      return [.tensor(TensorType(data.scalar, [Dimension(count)] + data.shape.dropFirst()))]
    },
    // x / sqrt(mean(x^2) + epsilon) * gamma, over the last axis.
    OperationDefinition(
      "fused.rms_norm", [.required("x"), .optional("gamma"), .optional("epsilon")],
      work: { _, types in Work(flops: 4 * Double(types.first?.tensor?.elementCount ?? 0)) }
    ) { call in
      let x = try call.tensor("x")
      guard let last = x.shape.last else { throw call.error(.invalidShape, "'x' is a scalar") }
      if call.has("gamma"), try !call.length("gamma").agrees(with: last) {
        throw call.error(.invalidShape, "'gamma' is \(try call.tensor("gamma")), the last axis of 'x' is \(last)")
      }
      return [.tensor(x)]
    },
    // activation((x - center) * scale + shift), with one value of each per channel (axis 1).
    OperationDefinition(
      "fused.affine",
      [
        .required("x"), .required("center"), .required("scale"), .required("shift"), .optional("activation"),
        .optional("alpha"), .optional("beta"),
      ]
    ) { call in
      let x = try call.tensor("x")
      guard x.rank >= 2 else { throw call.error(.invalidShape, "'x' is \(x), it needs a channel axis") }
      for name in ["center", "scale", "shift"] {
        guard try call.length(name).agrees(with: x.shape[1]) else {
          throw call.error(.invalidShape, "'\(name)' is \(try call.tensor(name)), 'x' has \(x.shape[1]) channels")
        }
      }
      _ = try FusedActivation(call)
      return [.tensor(x)]
    },
    // An activation that MIL has no operation for.
    OperationDefinition(
      "fused.activation", [.required("x"), .required("activation"), .optional("alpha"), .optional("beta")]
    ) { call in
      _ = try FusedActivation(call)
      return [.tensor(try call.tensor("x"))]
    },
  ]

  private static let fusedParameters: [Parameter] = [
    .optional("add"), .optional("activation"), .optional("alpha"), .optional("beta"),
  ]

  private static let stepParameters: [Parameter] = [.optional("x_step"), .optional("x_low")]

  private static func requireFused(_ call: Invocation, _ type: TensorType) throws -> TensorType {
    if call.has("add"), try !call.tensor("add").agrees(with: type) {
      throw call.error(.invalidShape, "'add' is \(try call.tensor("add")), the result is \(type)")
    }
    _ = try FusedActivation(call)
    guard call.has("x_step") == call.has("x_low") else {
      throw call.error(.invalidArgument, "of 'x_step' and 'x_low' one is missing")
    }
    return type
  }
}

/// An activation fused into another operation. Its name and parameters are those of the MIL operation.
package struct FusedActivation: Sendable, Hashable {
  package enum Name: String, Sendable, CaseIterable {
    case linear = "linear_activation"
    case relu
    case relu6
    case leakyRelu = "leaky_relu"
    case clampedRelu = "clamped_relu"
    case thresholdedRelu = "thresholded_relu"
    case elu
    case sigmoid
    case sigmoidHard = "sigmoid_hard"
    case hardSwish = "hard_swish"
    /// x min(max(alpha x + beta / 2, 0), beta): a hard swish with the slope given in the file.
    case hardSwishScaled = "hard_swish_scaled"
    /// x min(max(alpha x + 1 / 2, 0), 1), and 0 for x below beta.
    case hardSwishCut = "hard_swish_cut"
    case tanh
    case scaledTanh = "scaled_tanh"
    case silu
    case softplus
    case softsign
    case gelu
    case geluTanh = "gelu_tanh_approximation"
    case geluSigmoid = "gelu_sigmoid_approximation"
    case clip
    /// x tanh(softplus(x))
    case mish
    /// alpha min(max(round(x / alpha), beta), beta + 255), ties to even: `quantize` followed by `dequantize`. NaN gives
    /// the same result as 0.
    case steps
    /// As `steps`, clamped to 0...beta.
    case positiveSteps = "positive_steps"
  }

  package let name: Name
  package let alpha: Double
  package let beta: Double

  package init(_ name: Name, alpha: Double = 0, beta: Double = 0) {
    self.name = name
    self.alpha = alpha
    self.beta = beta
  }

  /// Reads `activation`, `alpha` and `beta`. Without an activation, it is the identity.
  package init(_ call: Invocation) throws {
    guard call.has("activation") else {
      self.init(.linear, alpha: 1, beta: 0)
      return
    }
    let word = try call.string("activation")
    guard let name = Name(rawValue: word) else {
      throw call.error(.invalidArgument, "the activation '\(word)' is unknown")
    }
    self.init(name, alpha: try call.double("alpha", default: 0), beta: try call.double("beta", default: 0))
  }

  /// Reads an activation argument of a recurrent operation, with the parameters fixed by MIL.
  package init(recurrent argument: String, default fallback: String, _ call: Invocation) throws {
    let word = try call.string(argument, default: fallback).lowercased()
    switch word {
    case "tanh": self.init(.tanh)
    case "scaled_tanh": self.init(.scaledTanh, alpha: 1, beta: 1)
    case "sigmoid": self.init(.sigmoid)
    case "hard_sigmoid", "sigmoid_hard":
      self.init(.sigmoidHard, alpha: try call.double(argument + "_alpha", default: 0.2), beta: 0.5)
    case "relu": self.init(.relu)
    case "linear": self.init(.linear, alpha: 1, beta: 0)
    default:
      throw call.error(.invalidArgument, "'\(argument)' is '\(word)', which is no activation of \(call.operation.type)")
    }
  }
}
