import CoreMLSpec
import MIL

/// `batchnorm`, `mvn`, `l2normalize`, `lrn`, `layerNormalization`.
struct NormalizationLayers {
  let graph: NetworkGraph

  func batchnorm(_ params: Specification.BatchnormLayerParams) throws {
    let channels = try graph.int(params.channels, "channels")
    let (value, lead) = try graph.imageOrLower(0)
    let epsilon = try params.epsilon == 0 ? 1e-5 : params.epsilon
    let x = try graph.rank(value) == 3 ? graph.emit("expand_dims", ["x": .name(value), "axes": .ints([0])]) : value
    var arguments: [String: Binding] = ["x": .name(x), "epsilon": .float(epsilon)]
    if let gamma = try params.gamma { arguments["gamma"] = try graph.weights.weight(gamma, [channels], "gamma") }
    if let beta = try params.beta { arguments["beta"] = try graph.weights.weight(beta, [channels], "beta") }
    var result: String
    if try params.computeMeanVar && params.instanceNormalization {
      result = try graph.emit("instance_norm", arguments)
    } else if try params.computeMeanVar {
      let mean = try graph.emit("reduce_mean", ["x": .name(x), "axes": .ints([0, 2, 3]), "keep_dims": .bool(true)])
      let centred = try graph.emit("sub", ["x": .name(x), "y": .name(mean)])
      let square = try graph.emit("square", ["x": .name(centred)])
      let variance = try graph.emit(
        "reduce_mean", ["x": .name(square), "axes": .ints([0, 2, 3]), "keep_dims": .bool(true)])
      let scale = try graph.emit("rsqrt", ["x": .name(variance), "epsilon": .float(epsilon)])
      result = try graph.emit("mul", ["x": .name(centred), "y": .name(scale)])
      for (name, operation) in [("gamma", "mul"), ("beta", "add")] {
        guard let factor = arguments[name] else { continue }
        let column = try graph.emit("reshape", ["x": factor, "shape": .ints([1, channels, 1, 1])])
        result = try graph.emit(operation, ["x": .name(result), "y": .name(column)])
      }
    } else {
      arguments["mean"] = try graph.weights.weight(params.mean, [channels], "mean")
      arguments["variance"] = try graph.weights.weight(params.variance, [channels], "variance")
      result = try graph.emit("batch_norm", arguments)
    }
    if x == value {
      try graph.setImage(0, result, lead: lead)
    } else {
      try graph.set(0, graph.emit("squeeze", ["x": .name(result), "axes": .ints([0])]))
    }
  }

  /// (x - mean) / (sqrt(variance) + epsilon) over H, W (and C with `acrossChannels`).
  func mvn(_ params: Specification.MeanVarianceNormalizeLayerParams) throws {
    let (x, lead) = try graph.imageOrLower(0)
    let axes: Binding = .ints(try params.acrossChannels ? [-3, -2, -1] : [-2, -1])
    let epsilon = try params.epsilon == 0 ? 1e-6 : params.epsilon
    let mean = try graph.emit("reduce_mean", ["x": .name(x), "axes": axes, "keep_dims": .bool(true)])
    var result = try graph.emit("sub", ["x": .name(x), "y": .name(mean)])
    if try params.normalizeVariance {
      let square = try graph.emit("square", ["x": .name(result)])
      let variance = try graph.emit("reduce_mean", ["x": .name(square), "axes": axes, "keep_dims": .bool(true)])
      let deviation = try graph.emit("sqrt", ["x": .name(variance)])
      let divisor = try graph.emit("add", ["x": .name(deviation), "y": .float(epsilon)])
      result = try graph.emit("real_div", ["x": .name(result), "y": .name(divisor)])
    }
    try graph.setImage(0, result, lead: lead)
  }

  func l2normalize(_ params: Specification.L2NormalizeLayerParams) throws {
    let (x, lead) = try graph.imageOrLower(0)
    let epsilon = try params.epsilon == 0 ? 1e-6 : params.epsilon
    let sum = try graph.emit(
      "reduce_sum_square", ["x": .name(x), "axes": .ints([-3, -2, -1]), "keep_dims": .bool(true)])
    let scale = try graph.emit("rsqrt", ["x": .name(sum), "epsilon": .float(epsilon)])
    try graph.setImage(0, graph.emit("mul", ["x": .name(x), "y": .name(scale)]), lead: lead)
  }

  func lrn(_ params: Specification.LRNLayerParams) throws {
    let (value, lead) = try graph.imageOrLower(0)
    let x = try graph.rank(value) == 3 ? graph.emit("expand_dims", ["x": .name(value), "axes": .ints([0])]) : value
    let k = try params.k == 0 ? 1 : params.k
    let result = try graph.emit(
      "local_response_norm",
      [
        "x": .name(x), "size": .int(graph.int(params.localSize, "localSize")), "alpha": .float(params.alpha),
        "beta": .float(params.beta), "k": .float(k),
      ])
    if x == value {
      try graph.setImage(0, result, lead: lead)
    } else {
      try graph.set(0, graph.emit("squeeze", ["x": .name(result), "axes": .ints([0])]))
    }
  }

  func layerNormalization(_ params: Specification.LayerNormalizationLayerParams) throws {
    let shape = try params.normalizedShape.map { try graph.int($0, "normalizedShape") }
    guard !shape.isEmpty else { throw graph.error(.invalidModel, "'normalizedShape' is empty") }
    try graph.set(
      0,
      graph.emit(
        "layer_norm",
        [
          "x": .name(graph.input(0)), "axes": .ints((1...shape.count).reversed().map { -$0 }),
          "epsilon": .float(params.eps),
          "gamma": graph.weights.weight(params.gamma, shape, "gamma"),
          "beta": graph.weights.weight(params.beta, shape, "beta"),
        ]))
  }
}
