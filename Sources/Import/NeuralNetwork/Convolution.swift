import CoreMLSpec
import MIL

/// `convolution`, `convolution3d`, `innerProduct`, `embedding`, `embeddingND`, `batchedMatmul`: layers with a weight
/// matrix.
extension NetworkImport {
  mutating func convolution(_ params: Specification.ConvolutionLayerParams) throws {
    let kernel = try ints(params.kernelSize, count: 2, default: 3, "kernelSize")
    let strides = try ints(params.stride, count: 2, default: 1, "stride")
    let outputs = try int(params.outputChannels, "outputChannels")
    let groups = Swift.max(try int(params.nGroups, "nGroups"), 1)
    let (image, lead) = try self.image(0)
    var arguments: [String: Binding] = ["x": .name(image), "strides": .ints(strides), "groups": .int(groups)]
    arguments["dilations"] = .ints(try ints(params.dilationFactor, count: 2, default: 1, "dilationFactor"))
    let isTransposed = try params.isDeconvolution
    if layer.inputs.count > 1 {
      arguments["weight"] = .name(try input(1))
      if layer.inputs.count > 2 { arguments["bias"] = .name(try input(2)) }
    } else {
      let channels = try int(params.kernelChannels, "kernelChannels")
      guard outputs % groups == 0 else {
        throw error(.invalidModel, "\(outputs) channels do not split into \(groups) groups")
      }
      let shape = isTransposed ? [channels, outputs / groups] + kernel : [outputs, channels] + kernel
      // Quantization scales are per output channel, which is the second axis of a deconvolution's weights.
      arguments["weight"] = try weight(params.weights, shape, "weights", channelAxis: isTransposed ? 1 : 0)
      if try params.hasBias { arguments["bias"] = try weight(params.bias, [outputs], "bias") }
    }
    if isTransposed {
      try deconvolution(params, &arguments, outputs: outputs)
      try setImage(0, emit("conv_transpose", arguments), lead: lead)
      return
    }
    switch try params.convolutionPaddingType {
    case .same(let same):
      arguments["pad_type"] = .string(try same.asymmetryMode == .topLeftHeavy ? "same_lower" : "same")
    case .valid(let valid): try pad(valid.paddingAmounts, &arguments)
    case nil: arguments["pad_type"] = .string("valid")
    }
    try setImage(0, emit("conv", arguments), lead: lead)
  }

  /// Sets MIL's `pad` to explicit border amounts [H, W].
  mutating func pad(_ amounts: Specification.BorderAmounts?, _ arguments: inout [String: Binding]) throws {
    let pad = try borders(amounts)
    arguments["pad_type"] = .string(pad.allSatisfy { $0 == 0 } ? "valid" : "custom")
    arguments["pad"] = .ints(pad)
  }

  /// [top, bottom, left, right]; zeros if the file has no amounts.
  func borders(_ amounts: Specification.BorderAmounts?) throws -> [Int] {
    let edges =
      try amounts?.borderAmounts.map {
        [try int($0.startEdgeSize, "startEdgeSize"), try int($0.endEdgeSize, "endEdgeSize")]
      } ?? []
    if edges.isEmpty { return [0, 0, 0, 0] }
    guard edges.count == 2 else { throw error(.invalidModel, "has \(edges.count) border amounts, expected 2") }
    return edges[0] + edges[1]
  }

  private mutating func deconvolution(
    _ params: Specification.ConvolutionLayerParams, _ arguments: inout [String: Binding], outputs: Int
  ) throws {
    let shape = try params.outputShape
    switch try params.convolutionPaddingType {
    case .same: arguments["pad_type"] = .string("same")
    case .valid(let valid): try pad(valid.paddingAmounts, &arguments)
    case nil: arguments["pad_type"] = .string("valid")
    }
    guard !shape.isEmpty else { return }
    let spatial = try ints(shape, count: 2, default: 1, "outputShape")
    // The operation takes the complete shape, but only the spatial sizes matter.
    arguments["output_shape"] = .ints([1, outputs] + spatial)
  }

  mutating func convolution3d(_ params: Specification.Convolution3DLayerParams) throws {
    let kernel = try [params.kernelDepth, params.kernelHeight, params.kernelWidth].map { try int($0, "kernel") }
    let outputs = try int(params.outputChannels, "outputChannels")
    let inputs = try int(params.inputChannels, "inputChannels")
    let groups = Swift.max(try int(params.nGroups, "nGroups"), 1)
    guard inputs % groups == 0, outputs % groups == 0, outputs > 0, inputs > 0 else {
      throw error(.invalidModel, "\(inputs) to \(outputs) channels do not split into \(groups) groups")
    }
    let isTransposed = try params.isDeconvolution
    let shape = isTransposed ? [inputs, outputs / groups] + kernel : [outputs, inputs / groups] + kernel
    var arguments: [String: Binding] = [
      "x": .name(try input(0)), "groups": .int(groups),
      "weight": try weight(params.weights, shape, "weights", channelAxis: isTransposed ? 1 : 0),
      "strides": .ints(
        try [params.strideDepth, params.strideHeight, params.strideWidth].map { try int($0, "stride") }),
    ]
    if try params.hasBias { arguments["bias"] = try weight(params.bias, [outputs], "bias") }
    arguments["dilations"] = .ints(
      try [params.dilationDepth, params.dilationHeight, params.dilationWidth].map {
        Swift.max(try int($0, "dilation"), 1)
      })
    switch try params.paddingType {
    case .valid: arguments["pad_type"] = .string("valid")
    case .same: arguments["pad_type"] = .string("same")
    case .custom:
      arguments["pad_type"] = .string("custom")
      arguments["pad"] = .ints(
        try [
          params.customPaddingFront, params.customPaddingBack, params.customPaddingTop, params.customPaddingBottom,
          params.customPaddingLeft, params.customPaddingRight,
        ].map { try int($0, "customPadding") })
    }
    if isTransposed, !(try params.outputShape).isEmpty {
      let spatial = try ints(params.outputShape, count: 3, default: 1, "outputShape")
      arguments["output_shape"] = .ints([1, outputs] + spatial)
    }
    try set(0, emit(isTransposed ? "conv_transpose" : "conv", arguments))
  }

  mutating func innerProduct(_ params: Specification.InnerProductLayerParams) throws {
    let inputs = try int(params.inputChannels, "inputChannels")
    let outputs = try int(params.outputChannels, "outputChannels")
    var arguments: [String: Binding] = ["weight": try weight(params.weights, [outputs, inputs], "weights")]
    if try params.hasBias { arguments["bias"] = try weight(params.bias, [outputs], "bias") }
    if blobIsImage(0) {
      let (image, lead) = try self.image(0)
      // There is one vector per image. Any other number of elements would be split into vectors that cross image
      // boundaries.
      let sizes = try builder.tensorType(of: image).shape.suffix(3).compactMap(\.value)
      guard sizes.count < 3 || TensorType.elementCount(sizes) == inputs else {
        throw error(.invalidModel, "'inputChannels' is \(inputs), the input has C, H, W = \(sizes)")
      }
      arguments["x"] = .name(try reshape(image, [-1, inputs]))
      let product = try emit("linear", arguments)
      try setImage(0, try reshape(product, [-1, outputs, 1, 1]), lead: lead)
      return
    }
    let value = try input(0)
    let rank = try rank(value)
    if rank == 1 {
      arguments["x"] = .name(try emit("expand_dims", ["x": .name(value), "axes": .ints([0])]))
      try set(0, emit("squeeze", ["x": .name(emit("linear", arguments)), "axes": .ints([0])]))
    } else {
      arguments["x"] = .name(value)
      try set(0, emit("linear", arguments))
    }
  }

  /// Whether the layer interprets its input as (..., C, H, W): rank 4 or more.
  func blobIsImage(_ index: Int) -> Bool {
    guard let blob = try? blob(index) else { return false }
    if blob.merged != nil { return true }
    return blob.full.flatMap { try? rank($0) } ?? 0 >= 4
  }

  mutating func embedding(_ params: Specification.EmbeddingLayerParams) throws {
    let inputs = try int(params.inputDim, "inputDim")
    let outputs = try int(params.outputChannels, "outputChannels")
    let (image, lead) = try self.image(0)
    let indices = try cast(reshape(image, [-1]), .int32)
    let rows = try lookup(indices, params.weights, inputs, outputs, params.hasBias ? params.bias : nil)
    try setImage(0, try reshape(rows, [-1, outputs, 1, 1]), lead: lead)
  }

  mutating func embeddingND(_ params: Specification.EmbeddingNDLayerParams) throws {
    let vocabulary = try int(params.vocabSize, "vocabSize")
    let size = try int(params.embeddingSize, "embeddingSize")
    let value = try input(0)
    let indices = try cast(emit("squeeze", ["x": .name(value), "axes": .ints([-1])]), .int32)
    try set(0, try lookup(indices, params.weights, vocabulary, size, params.hasBias ? params.bias : nil))
  }

  /// Gathers rows of the transposed weight matrix [outputs, inputs] at `indices`, and adds the bias.
  private mutating func lookup(
    _ indices: String, _ weights: Specification.WeightParams?, _ inputs: Int, _ outputs: Int,
    _ bias: Specification.WeightParams?
  ) throws -> String {
    let numbers = try tensor(weights, [outputs, inputs], "weights")
    let matrix =
      try isParameter(weights)
      ? parameter(numbers, "weights") : builder.constant(.tensor(numbers), named: "\(layer.name)_weights")
    let rows = try emit(
      "gather", ["x": .name(transpose(matrix, [1, 0])), "indices": .name(indices), "axis": .int(0)])
    guard let bias else { return rows }
    return try emit("add", ["x": .name(rows), "y": weight(bias, [outputs], "bias")])
  }

  mutating func batchedMatmul(_ params: Specification.BatchedMatMulLayerParams) throws {
    let isTransposedA = try params.transposeA
    let isTransposedB = try params.transposeB
    if layer.inputs.count == 1 {
      let rows = try int(params.weightMatrixFirstDimension, "weightMatrixFirstDimension")
      let columns = try int(params.weightMatrixSecondDimension, "weightMatrixSecondDimension")
      // The weights are stored column-major, which is the layout of `linear`. The transposition flags apply only to the
      // case of two inputs.
      var arguments: [String: Binding] = ["x": .name(try input(0))]
      arguments["weight"] = try weight(params.weights, [columns, rows], "weights")
      if try params.hasBias { arguments["bias"] = try weight(params.bias, [columns], "bias") }
      try set(0, emit("linear", arguments))
      return
    }
    // A vector is a row on the left and a column on the right.
    var (x, y) = (try input(0), try input(1))
    if try rank(x) == 1 { x = try emit("expand_dims", ["x": .name(x), "axes": .ints([0])]) }
    if try rank(y) == 1 { y = try emit("expand_dims", ["x": .name(y), "axes": .ints([1])]) }
    try set(
      0,
      emit(
        "matmul",
        [
          "x": .name(x), "y": .name(y), "transpose_x": .bool(isTransposedA),
          "transpose_y": .bool(isTransposedB),
        ]))
  }
}
