import MIL

/// Rules that derive the batch axis of an operation's outputs from those of its arguments. A rule returns nil if
/// examples may mix.
extension BatchAxes {
  typealias Rule = @Sendable (BatchedOperation) throws -> Int?

  static let rules: [String: Rule] = {
    var rules: [String: Rule] = [:]
    for (names, rule) in table {
      for name in names { rules[name] = rule }
    }
    return rules
  }()

  private static let table: [([String], Rule)] = [
    (elementwise, { $0.only("x") ? $0.axis("x") : nil }),
    (
      [
        "add", "sub", "mul", "real_div", "floor_div", "mod", "pow", "maximum", "minimum", "equal", "not_equal",
        "greater",
        "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
      ], { try aligned($0, ["x", "y"]) }
    ),
    (["select"], { try aligned($0, ["cond", "a", "b"]) }),
    (
      ["linear"],
      { operation in
        guard operation.only("x"), let axis = operation.axis("x"), try axis < operation.rank("x") - 1 else {
          return nil
        }
        return axis
      }
    ),
    (["matmul"], { try product($0) }),
    // Operations on images whose first axis is already a batch.
    (
      [
        "conv", "conv_transpose", "avg_pool", "max_pool", "l2_pool", "prelu", "softplus_parametric", "instance_norm",
        "batch_norm", "local_response_norm", "l2_norm", "depth_to_space", "space_to_depth", "pixel_shuffle",
        "pixel_unshuffle",
      ],
      { operation in
        guard operation.only("x"), operation.axis("x") == 0 else { return nil }
        return try operation.call.operation.type != "l2_norm" || operation.rank("x") > 3 ? 0 : nil
      }
    ),
    (
      ["upsample_nearest_neighbor", "upsample_bilinear", "resize_nearest_neighbor", "resize_bilinear", "crop"],
      { operation in
        guard operation.only("x"), let axis = operation.axis("x"), try axis < operation.rank("x") - 2 else {
          return nil
        }
        return axis
      }
    ),
    (
      ["softmax", "cumsum"],
      { operation in
        let fallback = operation.call.operation.type == "softmax" ? -1 : 0
        let own = try operation.call.axis("axis", default: fallback, rank: operation.rank("x"))
        return operation.axis("x") == own ? nil : operation.axis("x")
      }
    ),
    (
      ["layer_norm"],
      { operation in
        let axes = try operation.call.axes("axes", default: Array(0..<operation.rank("x")), rank: operation.rank("x"))
        guard operation.only("x"), let axis = operation.axis("x"), !axes.contains(axis) else { return nil }
        return axis
      }
    ),
    (
      reductions,
      { operation in
        guard let axis = operation.axis("x") else { return nil }
        let axes = try operation.call.axes("axes", default: Array(0..<operation.rank("x")), rank: operation.rank("x"))
        guard !axes.contains(axis) else { return nil }
        let isKept = try operation.call.bool("keep_dims", default: false)
        return isKept ? axis : axis - axes.filter { $0 < axis }.count
      }
    ),
    (["reshape", "expand_dims", "squeeze", "flatten2d"], { try reshaped($0) }),
    (
      ["transpose"],
      { operation in
        try operation.axis("x").flatMap { axis in
          try operation.call.permutation(rank: operation.rank("x")).firstIndex(of: axis)
        }
      }
    ),
    (["slice_by_size", "slice_by_index", "pad", "tile", "reverse", "split"], { try untouched($0) }),
    (
      ["concat"],
      { operation in
        let axis = operation.axis("values")
        let along = try operation.call.axis("axis", rank: operation.rank("values"))
        let others = (0..<operation.call.count("values")).map { operation.axis("values", $0) }
        return axis != along && others.allSatisfy { $0 == axis } ? axis : nil
      }
    ),
    (
      ["stack"],
      { operation in
        guard let axis = operation.axis("values") else { return nil }
        let along = try operation.call.axis("axis", rank: operation.rank("values") + 1)
        let others = (0..<operation.call.count("values")).map { operation.axis("values", $0) }
        return others.allSatisfy { $0 == axis } ? (along <= axis ? axis + 1 : axis) : nil
      }
    ),
    // Gathers rows of a shared table for each example.
    (
      ["gather"],
      { operation in
        guard operation.only("indices"), let axis = operation.axis("indices"),
          try operation.call.int("batch_dims", default: 0) == 0
        else { return nil }
        return try operation.call.axis("axis", default: 0, rank: operation.rank("x")) + axis
      }
    ),
    // Sequences with a batch axis, with one initial state per example or an initial state that is equal for all.
    (
      recurrent,
      { operation in
        guard operation.only("x", "initial_h", "initial_c"), operation.axis("x") == 1 else { return nil }
        for state in ["initial_h", "initial_c"] where operation.call.has(state) && operation.axis(state) != 0 {
          guard operation.axis(state) == nil, let value = operation.call.valueIfKnown(state)?.tensor else { return nil }
          let numbers = try value.doubles()
          guard numbers.allSatisfy({ $0 == numbers[0] }) else { return nil }
        }
        return 1
      }
    ),
    (
      ["scaled_dot_product_attention"],
      { operation in
        guard operation.only("query", "key", "value"), let axis = operation.axis("query"),
          try axis < operation.rank("query") - 2,
          operation.axis("key") == axis, operation.axis("value") == axis
        else { return nil }
        return axis
      }
    ),
  ]

  private static let elementwise =
    [
      "abs", "acos", "asin", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "exp2", "floor", "round", "sign",
      "sin", "sinh", "sqrt", "square", "tan", "tanh", "logical_not", "clip", "threshold", "inverse", "log", "rsqrt",
      "cast", "relu", "relu6", "sigmoid", "silu", "softplus", "softsign", "clamped_relu", "elu", "gelu", "leaky_relu",
      "linear_activation", "scaled_tanh", "sigmoid_hard", "thresholded_relu", "nn.asinh", "nn.acosh", "identity",
      "train.loss",
    ]

  /// The first output is [sequence, example, ..], the others are [example, ..].
  static let recurrent = ["lstm", "gru", "rnn", "nn.lstm", "nn.gru", "nn.rnn"]

  private static let reductions = [
    "reduce_l1_norm", "reduce_l2_norm", "reduce_log_sum", "reduce_log_sum_exp", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_prod", "reduce_sum", "reduce_sum_square",
  ]

  /// Operands that broadcast: the batch axes of all of them must be the same axis of the result.
  private static func aligned(_ operation: BatchedOperation, _ parameters: [String]) throws -> Int? {
    let found = try parameters.compactMap { parameter in
      try operation.axis(parameter).map { try $0 + operation.outputRank - operation.rank(parameter) }
    }
    guard let axis = found.first, found.allSatisfy({ $0 == axis }) else { return nil }
    // A shared operand must have size 1 on that axis, otherwise its elements would differ by example.
    for parameter in parameters where operation.axis(parameter) == nil {
      let own = try axis - (operation.outputRank - operation.rank(parameter))
      if own >= 0, try operation.call.sizes(parameter)[own] != 1 { return nil }
    }
    return axis
  }

  private static func product(_ operation: BatchedOperation) throws -> Int? {
    let (rankX, rankY) = (try operation.rank("x"), try operation.rank("y"))
    guard rankX >= 2, rankY >= 2 else { return nil }
    switch (operation.axis("x"), operation.axis("y")) {
    case (let x?, let y?):
      guard x < rankX - 2, y < rankY - 2, operation.outputRank - rankX + x == operation.outputRank - rankY + y else {
        return nil
      }
      return operation.outputRank - rankX + x
    case (let x?, nil):
      if x < rankX - 2 {
        let own = x - (rankX - rankY)
        return try own < 0 || operation.call.sizes("y")[own] == 1 ? operation.outputRank - rankX + x : nil
      }
      let isRow = try x == (operation.call.bool("transpose_x", default: false) ? rankX - 1 : rankX - 2)
      return isRow ? operation.outputRank - 2 : nil
    case (nil, let y?):
      guard y < rankY - 2 else { return nil }
      let own = y - (rankY - rankX)
      return try own < 0 || operation.call.sizes("x")[own] == 1 ? operation.outputRank - rankY + y : nil
    case (nil, nil): return nil
    }
  }

  /// The axis of the result that has the same size and the same number of elements before it.
  private static func reshaped(_ operation: BatchedOperation) throws -> Int? {
    guard operation.only("x"), let axis = operation.axis("x") else { return nil }
    let shape = try operation.call.sizes("x")
    let before = shape[..<axis].reduce(1, *)
    var product = 1
    for (place, size) in operation.outputShape.enumerated() {
      if product == before, size == shape[axis] { return place }
      product *= size
    }
    return nil
  }

  /// Operations that keep the batch axis if its size does not change.
  private static func untouched(_ operation: BatchedOperation) throws -> Int? {
    guard operation.only("x"), let axis = operation.axis("x") else { return nil }
    switch operation.call.operation.type {
    case "reverse":
      let axes = try operation.call.axes("axes", default: [], rank: operation.rank("x"))
      return axes.isEmpty || axes.contains(axis) ? nil : axis
    case "split": return try operation.call.axis("axis", rank: operation.rank("x")) == axis ? nil : axis
    case "slice_by_index":
      let slices = try operation.call.slices(of: operation.call.sizes("x"))
      guard !slices[axis].isSqueezed, slices[axis].stride == 1 else { return nil }
      return axis - slices[..<axis].count(where: \.isSqueezed)
    default: return axis
    }
  }
}
