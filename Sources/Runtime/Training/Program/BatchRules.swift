import MIL

/// Rules that derive the batch axis of an operation's outputs from those of its arguments. A rule returns nil if
/// examples may mix.
extension BatchAxes {
  typealias Rule = @Sendable (BatchSite) throws -> Int?

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
      { site in
        guard site.only("x"), let axis = site.axis("x"), try axis < site.rank("x") - 1 else { return nil }
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
      { site in
        guard site.only("x"), site.axis("x") == 0 else { return nil }
        return try site.call.operation.type != "l2_norm" || site.rank("x") > 3 ? 0 : nil
      }
    ),
    (
      ["upsample_nearest_neighbor", "upsample_bilinear", "resize_nearest_neighbor", "resize_bilinear", "crop"],
      { site in
        guard site.only("x"), let axis = site.axis("x"), try axis < site.rank("x") - 2 else { return nil }
        return axis
      }
    ),
    (
      ["softmax", "cumsum"],
      { site in
        let fallback = site.call.operation.type == "softmax" ? -1 : 0
        let own = try site.call.axis("axis", default: fallback, rank: site.rank("x"))
        return site.axis("x") == own ? nil : site.axis("x")
      }
    ),
    (
      ["layer_norm"],
      { site in
        let axes = try site.call.axes("axes", default: Array(0..<site.rank("x")), rank: site.rank("x"))
        guard site.only("x"), let axis = site.axis("x"), !axes.contains(axis) else { return nil }
        return axis
      }
    ),
    (
      reductions,
      { site in
        guard let axis = site.axis("x") else { return nil }
        let axes = try site.call.axes("axes", default: Array(0..<site.rank("x")), rank: site.rank("x"))
        guard !axes.contains(axis) else { return nil }
        let isKept = try site.call.bool("keep_dims", default: false)
        return isKept ? axis : axis - axes.filter { $0 < axis }.count
      }
    ),
    (["reshape", "expand_dims", "squeeze", "flatten2d"], { try reshaped($0) }),
    (
      ["transpose"],
      { site in
        try site.axis("x").flatMap { axis in try site.call.permutation(rank: site.rank("x")).firstIndex(of: axis) }
      }
    ),
    (["slice_by_size", "slice_by_index", "pad", "tile", "reverse", "split"], { try untouched($0) }),
    (
      ["concat"],
      { site in
        let axis = site.axis("values")
        let along = try site.call.axis("axis", rank: site.rank("values"))
        let others = (0..<site.call.count("values")).map { site.axis("values", $0) }
        return axis != along && others.allSatisfy { $0 == axis } ? axis : nil
      }
    ),
    (
      ["stack"],
      { site in
        guard let axis = site.axis("values") else { return nil }
        let along = try site.call.axis("axis", rank: site.rank("values") + 1)
        let others = (0..<site.call.count("values")).map { site.axis("values", $0) }
        return others.allSatisfy { $0 == axis } ? (along <= axis ? axis + 1 : axis) : nil
      }
    ),
    // Gathers rows of a shared table for each example.
    (
      ["gather"],
      { site in
        guard site.only("indices"), let axis = site.axis("indices"),
          try site.call.int("batch_dims", default: 0) == 0
        else { return nil }
        return try site.call.axis("axis", default: 0, rank: site.rank("x")) + axis
      }
    ),
    // Sequences with a batch axis, with one initial state per example or an initial state that is equal for all.
    (
      recurrent,
      { site in
        guard site.only("x", "initial_h", "initial_c"), site.axis("x") == 1 else { return nil }
        for state in ["initial_h", "initial_c"] where site.call.has(state) && site.axis(state) != 0 {
          guard site.axis(state) == nil, let value = site.call.valueIfKnown(state)?.tensor else { return nil }
          let numbers = try value.doubles()
          guard numbers.allSatisfy({ $0 == numbers[0] }) else { return nil }
        }
        return 1
      }
    ),
    (
      ["scaled_dot_product_attention"],
      { site in
        guard site.only("query", "key", "value"), let axis = site.axis("query"), try axis < site.rank("query") - 2,
          site.axis("key") == axis, site.axis("value") == axis
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
  private static func aligned(_ site: BatchSite, _ parameters: [String]) throws -> Int? {
    let found = try parameters.compactMap { parameter in
      try site.axis(parameter).map { try $0 + site.outputRank - site.rank(parameter) }
    }
    guard let axis = found.first, found.allSatisfy({ $0 == axis }) else { return nil }
    // A shared operand must have size 1 on that axis, otherwise its elements would differ by example.
    for parameter in parameters where site.axis(parameter) == nil {
      let own = try axis - (site.outputRank - site.rank(parameter))
      if own >= 0, try site.call.sizes(parameter)[own] != 1 { return nil }
    }
    return axis
  }

  private static func product(_ site: BatchSite) throws -> Int? {
    let (rankX, rankY) = (try site.rank("x"), try site.rank("y"))
    guard rankX >= 2, rankY >= 2 else { return nil }
    switch (site.axis("x"), site.axis("y")) {
    case (let x?, let y?):
      guard x < rankX - 2, y < rankY - 2, site.outputRank - rankX + x == site.outputRank - rankY + y else { return nil }
      return site.outputRank - rankX + x
    case (let x?, nil):
      if x < rankX - 2 {
        let own = x - (rankX - rankY)
        return try own < 0 || site.call.sizes("y")[own] == 1 ? site.outputRank - rankX + x : nil
      }
      let isRow = try x == (site.call.bool("transpose_x", default: false) ? rankX - 1 : rankX - 2)
      return isRow ? site.outputRank - 2 : nil
    case (nil, let y?):
      guard y < rankY - 2 else { return nil }
      let own = y - (rankY - rankX)
      return try own < 0 || site.call.sizes("x")[own] == 1 ? site.outputRank - rankY + y : nil
    case (nil, nil): return nil
    }
  }

  /// The axis of the result that has the same size and the same number of elements before it.
  private static func reshaped(_ site: BatchSite) throws -> Int? {
    guard site.only("x"), let axis = site.axis("x") else { return nil }
    let shape = try site.call.sizes("x")
    let before = shape[..<axis].reduce(1, *)
    var product = 1
    for (place, size) in site.outputShape.enumerated() {
      if product == before, size == shape[axis] { return place }
      product *= size
    }
    return nil
  }

  /// Operations that keep the batch axis if its size does not change.
  private static func untouched(_ site: BatchSite) throws -> Int? {
    guard site.only("x"), let axis = site.axis("x") else { return nil }
    switch site.call.operation.type {
    case "reverse":
      let axes = try site.call.axes("axes", default: [], rank: site.rank("x"))
      return axes.isEmpty || axes.contains(axis) ? nil : axis
    case "split": return try site.call.axis("axis", rank: site.rank("x")) == axis ? nil : axis
    case "slice_by_index":
      let slices = try site.call.slices(of: site.call.sizes("x"))
      guard !slices[axis].isSqueezed, slices[axis].stride == 1 else { return nil }
      return axis - slices[..<axis].count(where: \.isSqueezed)
    default: return axis
    }
  }
}
