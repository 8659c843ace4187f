import CoreMLSpec
import MIL

/// `pooling`, `pooling3d`, `globalPooling3d`.
struct PoolingLayers {
  let graph: NetworkGraph

  func pooling(_ params: Specification.PoolingLayerParams) throws {
    let (image, lead) = try graph.image(0)
    if try params.globalPooling {
      try graph.setImage(0, try globalPooling(image, params.type, [2, 3]), lead: lead)
      return
    }
    var arguments: [String: Binding] = [
      "x": .name(image), "kernel_sizes": .ints(try graph.ints(params.kernelSize, count: 2, default: 3, "kernelSize")),
      "strides": .ints(try graph.ints(params.stride, count: 2, default: 1, "stride")),
    ]
    switch try params.poolingPaddingType {
    case .same(let same):
      arguments["pad_type"] = .string(try same.asymmetryMode == .topLeftHeavy ? "same_lower" : "same")
    case .valid(let valid): try LayerPadding(graph: graph).pad(valid.paddingAmounts, &arguments)
    case .includeLastPixel(let last):
      let amounts = try graph.ints(last.paddingAmounts, count: 2, default: 0, "paddingAmounts")
      arguments["pad_type"] = .string("custom")
      arguments["pad"] = .ints([amounts[0], amounts[0], amounts[1], amounts[1]])
      arguments["ceil_mode"] = .bool(true)
    case nil: arguments["pad_type"] = .string("valid")
    }
    let operation: String
    switch try params.type {
    case .max: operation = "max_pool"
    case .average:
      operation = "avg_pool"
      arguments["exclude_padding_from_average"] = .bool(try params.avgPoolExcludePadding)
    case .l2: operation = "l2_pool"
    }
    try graph.setImage(0, graph.emit(operation, arguments), lead: lead)
  }

  private func globalPooling(
    _ value: String, _ type: Specification.PoolingLayerParams.PoolingType, _ axes: [Int]
  ) throws -> String {
    let operation: String
    switch type {
    case .max: operation = "reduce_max"
    case .average: operation = "reduce_mean"
    case .l2: operation = "reduce_l2_norm"
    }
    return try graph.emit(operation, ["x": .name(value), "axes": .ints(axes), "keep_dims": .bool(true)])
  }

  func pooling3d(_ params: Specification.Pooling3DLayerParams) throws {
    var arguments: [String: Binding] = [
      "x": .name(try graph.input(0)),
      "kernel_sizes": .ints(
        try [params.kernelDepth, params.kernelHeight, params.kernelWidth].map { try graph.int($0, "kernel") }),
      "strides": .ints(
        try [params.strideDepth, params.strideHeight, params.strideWidth].map { try graph.int($0, "stride") }),
    ]
    switch try params.paddingType {
    case .valid: arguments["pad_type"] = .string("valid")
    case .same: arguments["pad_type"] = .string("same")
    case .custom: try LayerPadding(graph: graph).padVolume(params, &arguments)
    }
    let isMax = try params.type == .max
    if !isMax { arguments["exclude_padding_from_average"] = .bool(try params.countExcludePadding) }
    try graph.set(0, graph.emit(isMax ? "max_pool" : "avg_pool", arguments))
  }

  func globalPooling3d(_ params: Specification.GlobalPooling3DLayerParams) throws {
    let operation = try params.type == .max ? "reduce_max" : "reduce_mean"
    try graph.set(
      0, graph.emit(operation, ["x": .name(graph.input(0)), "axes": .ints([-3, -2, -1]), "keep_dims": .bool(true)]))
  }
}
