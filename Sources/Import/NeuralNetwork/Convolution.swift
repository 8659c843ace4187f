import CoreMLSpec
import MIL

/// `convolution`, `convolution3d`, `innerProduct`, `embedding`, `embeddingND`, `batchedMatmul`: layers with a weight
/// matrix.
struct ConvolutionLayers {
  let graph: NetworkGraph

  func convolution(_ params: Specification.ConvolutionLayerParams) throws {
    let kernel = try graph.ints(params.kernelSize, count: 2, default: 3, "kernelSize")
    let strides = try graph.ints(params.stride, count: 2, default: 1, "stride")
    let outputs = try graph.int(params.outputChannels, "outputChannels")
    let groups = Swift.max(try graph.int(params.nGroups, "nGroups"), 1)
    let (image, lead) = try graph.image(0)
    var arguments: [String: Binding] = ["x": .name(image), "strides": .ints(strides), "groups": .int(groups)]
    arguments["dilations"] = .ints(try graph.ints(params.dilationFactor, count: 2, default: 1, "dilationFactor"))
    let isTransposed = try params.isDeconvolution
    if graph.layer.inputs.count > 1 {
      arguments["weight"] = .name(try graph.input(1))
      if graph.layer.inputs.count > 2 { arguments["bias"] = .name(try graph.input(2)) }
    } else {
      let channels = try graph.int(params.kernelChannels, "kernelChannels")
      guard outputs % groups == 0 else {
        throw graph.error(.invalidModel, "\(outputs) channels do not split into \(groups) groups")
      }
      let shape = isTransposed ? [channels, outputs / groups] + kernel : [outputs, channels] + kernel
      // Quantization scales are per output channel, which is the second axis of a deconvolution's weights.
      arguments["weight"] = try graph.weights.weight(
        params.weights, shape, "weights", channelAxis: isTransposed ? 1 : 0)
      if try params.hasBias { arguments["bias"] = try graph.weights.weight(params.bias, [outputs], "bias") }
    }
    if isTransposed {
      try deconvolution(params, &arguments, outputs: outputs)
      try graph.setImage(0, graph.emit("conv_transpose", arguments), lead: lead)
      return
    }
    switch try params.convolutionPaddingType {
    case .same(let same):
      arguments["pad_type"] = .string(try same.asymmetryMode == .topLeftHeavy ? "same_lower" : "same")
    case .valid(let valid): try LayerPadding(graph: graph).pad(valid.paddingAmounts, &arguments)
    case nil: arguments["pad_type"] = .string("valid")
    }
    try graph.setImage(0, graph.emit("conv", arguments), lead: lead)
  }

  private func deconvolution(
    _ params: Specification.ConvolutionLayerParams, _ arguments: inout [String: Binding], outputs: Int
  ) throws {
    let shape = try params.outputShape
    switch try params.convolutionPaddingType {
    case .same: arguments["pad_type"] = .string("same")
    case .valid(let valid): try LayerPadding(graph: graph).pad(valid.paddingAmounts, &arguments)
    case nil: arguments["pad_type"] = .string("valid")
    }
    guard !shape.isEmpty else { return }
    let spatial = try graph.ints(shape, count: 2, default: 1, "outputShape")
    // The operation takes the complete shape, but only the spatial sizes matter.
    arguments["output_shape"] = .ints([1, outputs] + spatial)
  }

  func convolution3d(_ params: Specification.Convolution3DLayerParams) throws {
    let kernel = try [params.kernelDepth, params.kernelHeight, params.kernelWidth].map { try graph.int($0, "kernel") }
    let outputs = try graph.int(params.outputChannels, "outputChannels")
    let inputs = try graph.int(params.inputChannels, "inputChannels")
    let groups = Swift.max(try graph.int(params.nGroups, "nGroups"), 1)
    guard inputs % groups == 0, outputs % groups == 0, outputs > 0, inputs > 0 else {
      throw graph.error(.invalidModel, "\(inputs) to \(outputs) channels do not split into \(groups) groups")
    }
    let isTransposed = try params.isDeconvolution
    let shape = isTransposed ? [inputs, outputs / groups] + kernel : [outputs, inputs / groups] + kernel
    var arguments: [String: Binding] = [
      "x": .name(try graph.input(0)), "groups": .int(groups),
      "weight": try graph.weights.weight(params.weights, shape, "weights", channelAxis: isTransposed ? 1 : 0),
      "strides": .ints(
        try [params.strideDepth, params.strideHeight, params.strideWidth].map { try graph.int($0, "stride") }),
    ]
    if try params.hasBias { arguments["bias"] = try graph.weights.weight(params.bias, [outputs], "bias") }
    arguments["dilations"] = .ints(
      try [params.dilationDepth, params.dilationHeight, params.dilationWidth].map {
        Swift.max(try graph.int($0, "dilation"), 1)
      })
    switch try params.paddingType {
    case .valid: arguments["pad_type"] = .string("valid")
    case .same: arguments["pad_type"] = .string("same")
    case .custom: try LayerPadding(graph: graph).padVolume(params, &arguments)
    }
    if isTransposed, !(try params.outputShape).isEmpty {
      let spatial = try graph.ints(params.outputShape, count: 3, default: 1, "outputShape")
      arguments["output_shape"] = .ints([1, outputs] + spatial)
    }
    try graph.set(0, graph.emit(isTransposed ? "conv_transpose" : "conv", arguments))
  }

  func innerProduct(_ params: Specification.InnerProductLayerParams) throws {
    let inputs = try graph.int(params.inputChannels, "inputChannels")
    let outputs = try graph.int(params.outputChannels, "outputChannels")
    var arguments: [String: Binding] = [
      "weight": try graph.weights.weight(params.weights, [outputs, inputs], "weights")
    ]
    if try params.hasBias { arguments["bias"] = try graph.weights.weight(params.bias, [outputs], "bias") }
    if graph.blobIsImage(0) {
      let (image, lead) = try graph.image(0)
      // There is one vector per image. Any other number of elements would be split into vectors that cross image
      // boundaries.
      let sizes = try graph.builder.tensorType(of: image).shape.suffix(3).compactMap(\.value)
      guard sizes.count < 3 || TensorType.elementCount(sizes) == inputs else {
        throw graph.error(.invalidModel, "'inputChannels' is \(inputs), the input has C, H, W = \(sizes)")
      }
      arguments["x"] = .name(try graph.reshape(image, [-1, inputs]))
      let product = try graph.emit("linear", arguments)
      try graph.setImage(0, try graph.reshape(product, [-1, outputs, 1, 1]), lead: lead)
      return
    }
    let value = try graph.input(0)
    let rank = try graph.rank(value)
    if rank == 1 {
      arguments["x"] = .name(try graph.emit("expand_dims", ["x": .name(value), "axes": .ints([0])]))
      try graph.set(0, graph.emit("squeeze", ["x": .name(graph.emit("linear", arguments)), "axes": .ints([0])]))
    } else {
      arguments["x"] = .name(value)
      try graph.set(0, graph.emit("linear", arguments))
    }
  }

  func embedding(_ params: Specification.EmbeddingLayerParams) throws {
    let inputs = try graph.int(params.inputDim, "inputDim")
    let outputs = try graph.int(params.outputChannels, "outputChannels")
    let (image, lead) = try graph.image(0)
    let indices = try graph.cast(graph.reshape(image, [-1]), .int32)
    let rows = try lookup(indices, params.weights, inputs, outputs, params.hasBias ? params.bias : nil)
    try graph.setImage(0, try graph.reshape(rows, [-1, outputs, 1, 1]), lead: lead)
  }

  func embeddingND(_ params: Specification.EmbeddingNDLayerParams) throws {
    let vocabulary = try graph.int(params.vocabSize, "vocabSize")
    let size = try graph.int(params.embeddingSize, "embeddingSize")
    let value = try graph.input(0)
    let indices = try graph.cast(graph.emit("squeeze", ["x": .name(value), "axes": .ints([-1])]), .int32)
    try graph.set(0, try lookup(indices, params.weights, vocabulary, size, params.hasBias ? params.bias : nil))
  }

  /// Gathers rows of the transposed weight matrix [outputs, inputs] at `indices`, and adds the bias.
  private func lookup(
    _ indices: String, _ weights: Specification.WeightParams?, _ inputs: Int, _ outputs: Int,
    _ bias: Specification.WeightParams?
  ) throws -> String {
    let numbers = try graph.weights.tensor(weights, [outputs, inputs], "weights")
    let matrix =
      try graph.weights.isParameter(weights)
      ? graph.weights.parameter(numbers, "weights")
      : graph.builder.constant(.tensor(numbers), named: "\(graph.layer.name)_weights")
    let rows = try graph.emit(
      "gather", ["x": .name(graph.transpose(matrix, [1, 0])), "indices": .name(indices), "axis": .int(0)])
    guard let bias else { return rows }
    return try graph.emit("add", ["x": .name(rows), "y": graph.weights.weight(bias, [outputs], "bias")])
  }

  func batchedMatmul(_ params: Specification.BatchedMatMulLayerParams) throws {
    let isTransposedA = try params.transposeA
    let isTransposedB = try params.transposeB
    if graph.layer.inputs.count == 1 {
      let rows = try graph.int(params.weightMatrixFirstDimension, "weightMatrixFirstDimension")
      let columns = try graph.int(params.weightMatrixSecondDimension, "weightMatrixSecondDimension")
      // The weights are stored column-major, which is the layout of `linear`. The transposition flags apply only to the
      // case of two inputs.
      var arguments: [String: Binding] = ["x": .name(try graph.input(0))]
      arguments["weight"] = try graph.weights.weight(params.weights, [columns, rows], "weights")
      if try params.hasBias { arguments["bias"] = try graph.weights.weight(params.bias, [columns], "bias") }
      try graph.set(0, graph.emit("linear", arguments))
      return
    }
    // A vector is a row on the left and a column on the right.
    var (x, y) = (try graph.input(0), try graph.input(1))
    if try graph.rank(x) == 1 { x = try graph.emit("expand_dims", ["x": .name(x), "axes": .ints([0])]) }
    if try graph.rank(y) == 1 { y = try graph.emit("expand_dims", ["x": .name(y), "axes": .ints([1])]) }
    try graph.set(
      0,
      graph.emit(
        "matmul",
        [
          "x": .name(x), "y": .name(y), "transpose_x": .bool(isTransposedA),
          "transpose_y": .bool(isTransposedB),
        ]))
  }
}
