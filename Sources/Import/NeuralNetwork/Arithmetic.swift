import CoreMLSpec
import MIL

/// The legacy elementwise layers: `unary`, `add`, `multiply`, `average`, `max`, `min`, `scale`, `bias`, `dot`.
struct ArithmeticLayers {
  let graph: NetworkGraph

  func unary(_ params: Specification.UnaryFunctionLayerParams) throws {
    let type = try params.type
    let scale = try params.scale == 0 ? 1 : params.scale
    let shift = try params.shift
    let alpha = try params.alpha
    let epsilon = try params.epsilon == 0 ? 1e-6 : params.epsilon
    try graph.map { input in
      var x = input
      if scale != 1 { x = try graph.emit("mul", ["x": .name(x), "y": .float(scale)]) }
      if shift != 0 { x = try graph.emit("add", ["x": .name(x), "y": .float(shift)]) }
      switch type {
      case .sqrt: return try graph.emit("sqrt", ["x": .name(x)])
      case .rsqrt: return try graph.emit("rsqrt", ["x": .name(x), "epsilon": .float(epsilon)])
      case .inverse: return try graph.emit("inverse", ["x": .name(x), "epsilon": .float(epsilon)])
      case .power: return try graph.emit("pow", ["x": .name(x), "y": .float(alpha)])
      case .exp: return try graph.emit("exp", ["x": .name(x)])
      // coremltools' builder writes 1e-45 as the default, so the value in the file is used unchanged.
      case .log: return try graph.emit("log", ["x": .name(x), "epsilon": .float(params.epsilon)])
      case .abs: return try graph.emit("abs", ["x": .name(x)])
      case .threshold: return try graph.emit("threshold", ["x": .name(x), "alpha": .float(alpha)])
      }
    }
  }

  /// Combines any number of inputs from left to right. A single input is combined with `alpha`.
  func combine(_ operation: String, alpha: Float?) throws {
    if graph.layer.inputs.count == 1 {
      guard let alpha else {
        try graph.map { x in x }
        return
      }
      try graph.map { x in try graph.emit(operation, ["x": .name(x), "y": .float(alpha)]) }
      return
    }
    let (values, lead) = try graph.aligned()
    var result = values[0]
    for value in values.dropFirst() { result = try graph.emit(operation, ["x": .name(result), "y": .name(value)]) }
    try graph.setImage(0, result, lead: lead)
  }

  func average() throws {
    let (values, lead) = try graph.aligned()
    var result = values[0]
    for value in values.dropFirst() { result = try graph.emit("add", ["x": .name(result), "y": .name(value)]) }
    try graph.setImage(0, graph.emit("mul", ["x": .name(result), "y": .float(1 / Float(values.count))]), lead: lead)
  }

  func scale(_ params: Specification.ScaleLayerParams) throws {
    let scale = try channelShaped(params.scale, params.shapeScale, "scale")
    let bias = try params.hasBias ? channelShaped(params.bias, params.shapeBias, "bias") : nil
    try graph.map { x in
      let product = try graph.emit("mul", ["x": .name(x), "y": scale])
      guard let bias else { return product }
      return try graph.emit("add", ["x": .name(product), "y": bias])
    }
  }

  func bias(_ params: Specification.BiasLayerParams) throws {
    let bias = try channelShaped(params.bias, params.shape, "bias")
    try graph.map { x in try graph.emit("add", ["x": .name(x), "y": bias]) }
  }

  /// Weights of shape [1], [C], [1, H, W] or [C, H, W], broadcast over (..., C, H, W).
  private func channelShaped(
    _ weights: Specification.WeightParams?, _ shape: [UInt64], _ name: String
  ) throws -> Binding {
    let sizes = try shape.map { try graph.int($0, "shape of \(name)") }
    guard (1...3).contains(sizes.count) else { throw graph.error(.invalidModel, "'\(name)' has rank \(sizes.count)") }
    let shape = sizes.count == 1 ? [sizes[0], 1, 1] : sizes
    let numbers = try graph.weights.tensor(weights, shape, name)
    return try graph.weights.isParameter(weights) ? .name(graph.weights.parameter(numbers, name)) : .tensor(numbers)
  }

  func dot(_ params: Specification.DotProductLayerParams) throws {
    var (values, lead) = try graph.aligned()
    guard values.count == 2 else { throw graph.error(.invalidModel, "takes 2 inputs, it has \(values.count)") }
    if try params.cosineSimilarity {
      values = try values.map { value in
        let sum = try graph.emit(
          "reduce_sum_square", ["x": .name(value), "axes": .ints([-3]), "keep_dims": .bool(true)])
        let scale = try graph.emit("rsqrt", ["x": .name(sum), "epsilon": .float(0)])
        return try graph.emit("mul", ["x": .name(value), "y": .name(scale)])
      }
    }
    let product = try graph.emit("mul", ["x": .name(values[0]), "y": .name(values[1])])
    try graph.setImage(
      0, graph.emit("reduce_sum", ["x": .name(product), "axes": .ints([-3]), "keep_dims": .bool(true)]), lead: lead)
  }
}
