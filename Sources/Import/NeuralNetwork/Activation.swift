import CoreMLSpec
import MIL

/// `activation` (13 kinds), `gelu`, `clampedReLU`, `softmax`, `softmaxND`.
struct ActivationLayers {
  let graph: NetworkGraph

  func activation(_ params: Specification.ActivationParams) throws {
    guard let kind = try params.nonlinearityType else {
      throw graph.error(.invalidModel, "names no kind of activation")
    }
    switch kind {
    case .linear(let p): try pointwise("linear_activation", alpha: p.alpha, beta: p.beta)
    case .reLU: try pointwise("relu")
    case .leakyReLU(let p): try pointwise("leaky_relu", alpha: p.alpha)
    case .thresholdedReLU(let p): try pointwise("thresholded_relu", alpha: p.alpha)
    case .tanh: try pointwise("tanh")
    case .scaledTanh(let p): try pointwise("scaled_tanh", alpha: p.alpha, beta: p.beta)
    case .sigmoid: try pointwise("sigmoid")
    case .sigmoidHard(let p): try pointwise("sigmoid_hard", alpha: p.alpha, beta: p.beta)
    case .elu(let p): try pointwise("elu", alpha: p.alpha)
    case .softsign: try pointwise("softsign")
    case .softplus: try pointwise("softplus")
    case .pReLU(let p): try perChannel("prelu", ["alpha": graph.required(p.alpha, "alpha")])
    case .parametricSoftplus(let p):
      try perChannel(
        "softplus_parametric", ["alpha": graph.required(p.alpha, "alpha"), "beta": graph.required(p.beta, "beta")])
    }
  }

  func pointwise(_ operation: String, alpha: Float? = nil, beta: Float? = nil) throws {
    try graph.map { x in
      var arguments: [String: Binding] = ["x": .name(x)]
      if let alpha { arguments["alpha"] = .float(alpha) }
      if let beta { arguments["beta"] = .float(beta) }
      return try graph.emit(operation, arguments)
    }
  }

  private static let mostChannels = 1 << 16

  /// An activation with parameters per channel (axis -3); a single value applies to all channels.
  private func perChannel(_ operation: String, _ parameters: [String: Specification.WeightParams]) throws {
    let (value, lead) = try graph.imageOrLower(0)
    let type = try graph.builder.tensorType(of: value)
    let channelAxis = type.rank - 3
    var arguments: [String: Binding] = [:]
    for (name, weights) in parameters {
      let count = try LayerWeights.count(of: weights)
      if try graph.weights.isParameter(weights), count > 1 {
        arguments[name] = .name(try graph.weights.parameter(graph.weights.tensor(weights, [count], name), name))
        continue
      }
      var values = try graph.weights.tensor(weights, [count], name).floats()
      if count == 1, let channels = type.shape[channelAxis].value {
        // A description may declare any size without data in the file to back it, so the size is limited.
        guard channels <= Self.mostChannels else {
          throw graph.error(
            .unsupported, "'\(name)' is one value for \(channels) channels, at most \(Self.mostChannels) can share one")
        }
        values = Array(repeating: values[0], count: channels)
      }
      arguments[name] = .tensor(Tensor(float32: values, shape: [values.count]))
    }
    // MIL's per-channel activations expect the channels at axis 1.
    if type.rank == 3 {
      arguments["x"] = .name(try graph.emit("expand_dims", ["x": .name(value), "axes": .ints([0])]))
      try graph.set(0, graph.emit("squeeze", ["x": .name(graph.emit(operation, arguments)), "axes": .ints([0])]))
    } else {
      arguments["x"] = .name(value)
      try graph.setImage(0, graph.emit(operation, arguments), lead: lead)
    }
  }

  func gelu(_ params: Specification.GeluLayerParams) throws {
    let mode: String
    switch try params.mode {
    case .exact: mode = "EXACT"
    case .tanhApproximation: mode = "TANH_APPROXIMATION"
    case .sigmoidApproximation: mode = "SIGMOID_APPROXIMATION"
    }
    try graph.map { x in try graph.emit("gelu", ["x": .name(x), "mode": .string(mode)]) }
  }

  func clampedReLU(_ params: Specification.ClampedReLULayerParams) throws {
    try pointwise("clamped_relu", alpha: params.alpha, beta: params.beta)
  }

  func softmax() throws {
    // Along the channels. A blob without spatial axes has the channels last.
    try graph.map { x in
      try graph.emit("softmax", ["x": .name(x), "axis": .int(graph.rank(x) >= 3 ? -3 : -1)])
    }
  }

  func softmaxND(_ params: Specification.SoftmaxNDLayerParams) throws {
    try graph.set(0, graph.emit("softmax", ["x": .name(graph.input(0)), "axis": .int(graph.int(params.axis, "axis"))]))
  }
}
