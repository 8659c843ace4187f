import CoreMLSpec
import MIL

/// `activation` (13 kinds), `gelu`, `clampedReLU`, `softmax`, `softmaxND`.
extension NetworkImport {
  mutating func activation(_ params: Specification.ActivationParams) throws {
    guard let kind = try params.nonlinearityType else { throw error(.invalidModel, "names no kind of activation") }
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
    case .pReLU(let p): try perChannel("prelu", ["alpha": required(p.alpha, "alpha")])
    case .parametricSoftplus(let p):
      try perChannel(
        "softplus_parametric", ["alpha": required(p.alpha, "alpha"), "beta": required(p.beta, "beta")])
    }
  }

  mutating func pointwise(_ operation: String, alpha: Float? = nil, beta: Float? = nil) throws {
    try map { network, x in
      var arguments: [String: Binding] = ["x": .name(x)]
      if let alpha { arguments["alpha"] = .float(alpha) }
      if let beta { arguments["beta"] = .float(beta) }
      return try network.emit(operation, arguments)
    }
  }

  private static let mostChannels = 1 << 16

  /// An activation with parameters per channel (axis -3); a single value applies to all channels.
  private mutating func perChannel(_ operation: String, _ parameters: [String: Specification.WeightParams]) throws {
    let (value, lead) = try imageOrLower(0)
    let type = try builder.tensorType(of: value)
    let channelAxis = type.rank - 3
    var arguments: [String: Binding] = [:]
    for (name, weights) in parameters {
      let count = try Self.count(of: weights)
      if try isParameter(weights), count > 1 {
        arguments[name] = .name(try parameter(tensor(weights, [count], name), name))
        continue
      }
      var values = try tensor(weights, [count], name).floats()
      if count == 1, let channels = type.shape[channelAxis].value {
        // A description may declare any size without data in the file to back it, so the size is limited.
        guard channels <= Self.mostChannels else {
          throw error(
            .unsupported, "'\(name)' is one value for \(channels) channels, at most \(Self.mostChannels) can share one")
        }
        values = Array(repeating: values[0], count: channels)
      }
      arguments[name] = .tensor(Tensor(float32: values, shape: [values.count]))
    }
    // MIL's per-channel activations expect the channels at axis 1.
    if type.rank == 3 {
      arguments["x"] = .name(try emit("expand_dims", ["x": .name(value), "axes": .ints([0])]))
      try set(0, emit("squeeze", ["x": .name(emit(operation, arguments)), "axes": .ints([0])]))
    } else {
      arguments["x"] = .name(value)
      try setImage(0, emit(operation, arguments), lead: lead)
    }
  }

  /// The number of values in a `WeightParams`, in any encoding.
  static func count(of weights: Specification.WeightParams) throws -> Int {
    let floats = try weights.floatValueBytes.count / 4
    if floats > 0 { return floats }
    let halves = try weights.float16Value.count / 2
    if halves > 0 { return halves }
    let bits = Swift.max(Int(clamping: try weights.quantization?.numberOfBits ?? 8), 1)
    return try weights.int8RawValue.count + weights.rawValue.count * 8 / bits
  }

  /// Like `image` for an input of rank 4 or more; an input of rank 3 is returned unchanged.
  mutating func imageOrLower(_ index: Int) throws -> (name: String, lead: Blob.Lead?) {
    if blobIsImage(index) { return try image(index) }
    let value = try input(index)
    guard try rank(value) == 3 else {
      throw error(.invalidModel, "'\(try blobName(index))' has rank \(try rank(value)), the layer takes rank 3 or more")
    }
    return (value, nil)
  }

  mutating func gelu(_ params: Specification.GeluLayerParams) throws {
    let mode: String
    switch try params.mode {
    case .exact: mode = "EXACT"
    case .tanhApproximation: mode = "TANH_APPROXIMATION"
    case .sigmoidApproximation: mode = "SIGMOID_APPROXIMATION"
    }
    try map { network, x in try network.emit("gelu", ["x": .name(x), "mode": .string(mode)]) }
  }

  mutating func clampedReLU(_ params: Specification.ClampedReLULayerParams) throws {
    try pointwise("clamped_relu", alpha: params.alpha, beta: params.beta)
  }

  mutating func softmax() throws {
    // Along the channels. A blob without spatial axes has the channels last.
    try map { network, x in
      try network.emit("softmax", ["x": .name(x), "axis": .int(network.rank(x) >= 3 ? -3 : -1)])
    }
  }

  mutating func softmaxND(_ params: Specification.SoftmaxNDLayerParams) throws {
    try set(0, emit("softmax", ["x": .name(input(0)), "axis": .int(int(params.axis, "axis"))]))
  }
}
