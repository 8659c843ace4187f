import MIL

/// Kinds of large functions. Each closure appends one operation, or the few that a pass fuses, and returns a value of
/// the type of its argument.
enum LargeFunctionKinds {
  typealias Make = @Sendable (_ builder: inout Builder, _ x: String, _ y: String) throws -> String

  static let all: [String: Make] = operations.merging(patterns) { first, _ in first }

  private static let sizes = LargeFunctions.sizes

  private static func numbers(_ shape: [Int], _ value: Double = 0.25) throws -> Binding {
    .tensor(try Tensor(.float32, shape: shape, doubles: Array(repeating: value, count: shape.reduce(1, *))))
  }

  private static func unary(_ type: String, _ more: [String: Binding] = [:]) -> Make {
    { builder, x, _ in try builder.add(type, more.merging(["x": .name(x)]) { $1 }) }
  }

  private static func binary(_ type: String) -> Make {
    { builder, x, y in try builder.add(type, ["x": .name(x), "y": .name(y)]) }
  }

  private static func then(_ makes: Make...) -> Make {
    { builder, x, y in try makes.reduce(x) { try $1(&builder, $0, y) } }
  }

  private static let conv: Make = { builder, x, _ in
    try builder.add("conv", ["x": .name(x), "weight": numbers([4, 4, 1, 1])])
  }
  private static let linear: Make = { builder, x, _ in
    try builder.add("linear", ["x": .name(x), "weight": numbers([4, 4]), "bias": numbers([4])])
  }
  private static let norm: Make = { builder, x, _ in
    try builder.add("batch_norm", ["x": .name(x), "mean": numbers([4]), "variance": numbers([4], 1)])
  }
  private static let reshapes: Make = { builder, x, _ in
    let flat = try builder.add("reshape", ["x": .name(x), "shape": .ints([8, 4, 4])])
    return try builder.add("reshape", ["x": .name(flat), "shape": .ints(sizes)])
  }
  private static let bytes: Make = { builder, x, _ in
    let bytes = try builder.add(
      "quantize", ["input": .name(x), "scale": .float(0.5), "output_dtype": .string("int8")])
    return try builder.add("dequantize", ["input": .name(bytes), "scale": .float(0.5)])
  }

  private static let operations: [String: Make] = [
    "relu": unary("relu"), "sigmoid": unary("sigmoid"), "square": unary("square"), "exp": unary("exp"),
    "clip": unary("clip", ["alpha": .float(-1), "beta": .float(1)]),
    "leaky_relu": unary("leaky_relu", ["alpha": .float(0.5)]),
    "linear_activation": unary("linear_activation", ["alpha": .float(-1), "beta": .float(0)]),
    "add": binary("add"), "mul": binary("mul"), "maximum": binary("maximum"), "matmul": binary("matmul"),
    "cast": then(unary("cast", ["dtype": .string("int32")]), unary("cast", ["dtype": .string("fp32")])),
    "reshape": reshapes, "transpose": unary("transpose", ["perm": .ints([0, 1, 3, 2])]),
    "slice_by_index": unary("slice_by_index", ["begin": .ints([0, 0, 0, 0]), "end": .ints(sizes)]),
    "concat and slice": { builder, x, y in
      let both = try builder.add(
        "concat", ["values": [.name(x), .name(y)], "axis": [.int(0)], "interleave": [.bool(false)]],
        named: ["both"])[0]
      return try builder.add(
        "slice_by_index", ["x": .name(both), "begin": .ints([0, 0, 0, 0]), "end": .ints(sizes)])
    },
    "split and concat": { builder, x, _ in
      let parts = try builder.add(
        "split", ["x": [.name(x)], "num_splits": [.int(2)], "axis": [.int(1)]], named: ["a", "b"])
      return try builder.add(
        "concat",
        ["values": parts.reversed().map { .name($0) }, "axis": [.int(1)], "interleave": [.bool(false)]],
        named: ["joined"])[0]
    },
    "conv": conv, "linear": linear, "batch_norm": norm,
    "reduce_mean": { builder, x, _ in
      let mean = try builder.add("reduce_mean", ["x": .name(x), "axes": .ints([-1]), "keep_dims": .bool(true)])
      return try builder.add("sub", ["x": .name(x), "y": .name(mean)])
    },
    "softmax": unary("softmax", ["axis": .int(-1)]),
    "layer_norm": unary("layer_norm", ["axes": .ints([-1]), "epsilon": .float(1e-5)]),
    "max_pool": unary(
      "max_pool", ["kernel_sizes": .ints([1, 1]), "strides": .ints([1, 1]), "pad_type": .string("valid")]),
    "gather": unary("gather", ["indices": .ints([1, 0]), "axis": .int(0)]),
    "tile": unary("tile", ["reps": .ints([1, 1, 1, 1])]),
    "select": { builder, x, y in
      let condition = try builder.add("greater", ["x": .name(x), "y": .float(0)])
      return try builder.add("select", ["cond": .name(condition), "a": .name(x), "b": .name(y)])
    },
    "constant": { builder, x, _ in
      let value = try Tensor(.float32, shape: [4], doubles: [1, 2, 3, 4])
      let constant = builder.constant(.tensor(value))
      return try builder.add("add", ["x": .name(x), "y": .name(constant)])
    },
    "stored weight": { builder, x, _ in
      let weight = try builder.add(
        "constexpr_affine_dequantize",
        [
          "quantized_data": .tensor(try Tensor(.uint8, shape: [4, 4], doubles: (0..<16).map(Double.init))),
          "axis": .int(0), "scale": .float(0.5), "zero_point": .tensor(try Tensor(.uint8, shape: [], doubles: [3])),
        ])
      return try builder.add("linear", ["x": .name(x), "weight": .name(weight)])
    },
  ]

  private static let patterns: [String: Make] = [
    "silu": { builder, x, _ in
      let gate = try builder.add("sigmoid", ["x": .name(x)])
      return try builder.add("mul", ["x": .name(x), "y": .name(gate)])
    },
    "hard swish": { builder, x, _ in
      let sum = try builder.add("add", ["x": .name(x), "y": .float(3)])
      let ramp = try builder.add("clip", ["x": .name(sum), "alpha": .float(0), "beta": .float(6)])
      let product = try builder.add("mul", ["x": .name(x), "y": .name(ramp)])
      return try builder.add("real_div", ["x": .name(product), "y": .float(6)])
    },
    "bounds": then(
      unary("relu"), unary("linear_activation", ["alpha": .float(-1), "beta": .float(0)]),
      unary("threshold", ["alpha": .float(-6)])),
    "quantize": bytes, "quantized conv": then(bytes, conv), "conv relu": then(conv, unary("relu")),
    "linear norm": then(linear, reshapes, norm), "linear reshape": then(linear, reshapes, unary("relu")),
    "rms norm": { builder, x, _ in
      let square = try builder.add("mul", ["x": .name(x), "y": .name(x)])
      let mean = try builder.add("reduce_mean", ["x": .name(square), "axes": .ints([-1]), "keep_dims": .bool(true)])
      let root = try builder.add("rsqrt", ["x": .name(mean), "epsilon": .float(1e-5)])
      return try builder.add("mul", ["x": .name(x), "y": .name(root)])
    },
    "affine": { builder, x, _ in
      let product = try builder.add("mul", ["x": .name(x), "y": numbers([1, 4, 1, 1])])
      return try builder.add("add", ["x": .name(product), "y": numbers([1, 4, 1, 1])])
    },
    "padded conv": { builder, x, _ in
      let padded = try builder.add(
        "pad",
        [
          "x": .name(x), "pad": .ints([0, 0, 0, 0, 1, 1, 1, 1]), "mode": .string("constant"),
          "constant_val": .float(0),
        ])
      return try builder.add("conv", ["x": .name(padded), "weight": numbers([4, 4, 3, 3])])
    },
    "attention": { builder, x, y in
      try builder.add("scaled_dot_product_attention", ["query": .name(x), "key": .name(y), "value": .name(y)])
    },
    "spelled attention": { builder, x, y in
      let key = try builder.add("transpose", ["x": .name(y), "perm": .ints([0, 1, 3, 2])])
      let scores = try builder.add("matmul", ["x": .name(x), "y": .name(key)])
      let shares = try builder.add("softmax", ["x": .name(scores), "axis": .int(-1)])
      return try builder.add("matmul", ["x": .name(shares), "y": .name(y)])
    },
    "projections": { builder, x, y in
      let parts = try (0..<3).map { _ in try linear(&builder, x, y) }
      return try builder.add(
        "scaled_dot_product_attention",
        ["query": .name(parts[0]), "key": .name(parts[1]), "value": .name(parts[2])])
    },
  ]
}
