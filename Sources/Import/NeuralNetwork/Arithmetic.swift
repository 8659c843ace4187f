import CoreMLSpec
import MIL

/// The legacy elementwise layers: `unary`, `add`, `multiply`, `average`, `max`, `min`, `scale`, `bias`, `dot`.
extension NetworkImport {
  mutating func unary(_ params: Specification.UnaryFunctionLayerParams) throws {
    let type = try params.type
    let scale = try params.scale == 0 ? 1 : params.scale
    let shift = try params.shift
    let alpha = try params.alpha
    let epsilon = try params.epsilon == 0 ? 1e-6 : params.epsilon
    try map { network, input in
      var x = input
      if scale != 1 { x = try network.emit("mul", ["x": .name(x), "y": .float(scale)]) }
      if shift != 0 { x = try network.emit("add", ["x": .name(x), "y": .float(shift)]) }
      switch type {
      case .sqrt: return try network.emit("sqrt", ["x": .name(x)])
      case .rsqrt: return try network.emit("rsqrt", ["x": .name(x), "epsilon": .float(epsilon)])
      case .inverse: return try network.emit("inverse", ["x": .name(x), "epsilon": .float(epsilon)])
      case .power: return try network.emit("pow", ["x": .name(x), "y": .float(alpha)])
      case .exp: return try network.emit("exp", ["x": .name(x)])
      // coremltools' builder writes 1e-45 as the default, so the value in the file is used unchanged.
      case .log: return try network.emit("log", ["x": .name(x), "epsilon": .float(params.epsilon)])
      case .abs: return try network.emit("abs", ["x": .name(x)])
      case .threshold: return try network.emit("threshold", ["x": .name(x), "alpha": .float(alpha)])
      }
    }
  }

  /// Combines any number of inputs from left to right. A single input is combined with `alpha`.
  mutating func combine(_ operation: String, alpha: Float?) throws {
    if layer.inputs.count == 1 {
      guard let alpha else {
        try map { _, x in x }
        return
      }
      try map { network, x in try network.emit(operation, ["x": .name(x), "y": .float(alpha)]) }
      return
    }
    let (values, lead) = try aligned()
    var result = values[0]
    for value in values.dropFirst() { result = try emit(operation, ["x": .name(result), "y": .name(value)]) }
    try setImage(0, result, lead: lead)
  }

  mutating func average() throws {
    let (values, lead) = try aligned()
    var result = values[0]
    for value in values.dropFirst() { result = try emit("add", ["x": .name(result), "y": .name(value)]) }
    try setImage(0, emit("mul", ["x": .name(result), "y": .float(1 / Float(values.count))]), lead: lead)
  }

  /// All inputs in the same form: merged if all are merged over the same leading axes, otherwise with their own axes.
  mutating func aligned() throws -> (values: [String], lead: Blob.Lead?) {
    guard !layer.inputs.isEmpty else { throw error(.invalidModel, "has no inputs") }
    let blobs = try layer.inputs.indices.map { try blob($0) }
    if let first = blobs[0].merged, blobs.allSatisfy({ $0.merged?.lead == first.lead }) {
      return (blobs.compactMap { $0.merged?.name }, first.lead)
    }
    return (try layer.inputs.indices.map { try input($0) }, nil)
  }

  mutating func scale(_ params: Specification.ScaleLayerParams) throws {
    let scale = try channelShaped(params.scale, params.shapeScale, "scale")
    let bias = try params.hasBias ? channelShaped(params.bias, params.shapeBias, "bias") : nil
    try map { network, x in
      let product = try network.emit("mul", ["x": .name(x), "y": scale])
      guard let bias else { return product }
      return try network.emit("add", ["x": .name(product), "y": bias])
    }
  }

  mutating func bias(_ params: Specification.BiasLayerParams) throws {
    let bias = try channelShaped(params.bias, params.shape, "bias")
    try map { network, x in try network.emit("add", ["x": .name(x), "y": bias]) }
  }

  /// Weights of shape [1], [C], [1, H, W] or [C, H, W], broadcast over (..., C, H, W).
  private mutating func channelShaped(
    _ weights: Specification.WeightParams?, _ shape: [UInt64], _ name: String
  ) throws -> Binding {
    let sizes = try shape.map { try int($0, "shape of \(name)") }
    guard (1...3).contains(sizes.count) else { throw error(.invalidModel, "'\(name)' has rank \(sizes.count)") }
    let shape = sizes.count == 1 ? [sizes[0], 1, 1] : sizes
    let numbers = try tensor(weights, shape, name)
    return try isParameter(weights) ? .name(parameter(numbers, name)) : .tensor(numbers)
  }

  mutating func dot(_ params: Specification.DotProductLayerParams) throws {
    var (values, lead) = try aligned()
    guard values.count == 2 else { throw error(.invalidModel, "takes 2 inputs, it has \(values.count)") }
    if try params.cosineSimilarity {
      values = try values.map { value in
        let sum = try emit("reduce_sum_square", ["x": .name(value), "axes": .ints([-3]), "keep_dims": .bool(true)])
        let scale = try emit("rsqrt", ["x": .name(sum), "epsilon": .float(0)])
        return try emit("mul", ["x": .name(value), "y": .name(scale)])
      }
    }
    let product = try emit("mul", ["x": .name(values[0]), "y": .name(values[1])])
    try setImage(
      0, emit("reduce_sum", ["x": .name(product), "axes": .ints([-3]), "keep_dims": .bool(true)]), lead: lead)
  }
}
