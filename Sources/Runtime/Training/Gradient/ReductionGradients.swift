import MIL

/// Reductions. The gradient of the result is broadcast along the reduced axes.
enum ReductionGradients {
  static let rules: [GradientRule] = [
    GradientRule("reduce_sum") { call in
      try call.give("x") { try call.emit.expanded(call.kept(call.gradient), to: call.emit.shape(call.x)) }
    },
    GradientRule("reduce_mean") { call in
      let shape = try call.emit.shape(call.x)
      let count = try call.reducedAxes().reduce(1) { $0 * shape[$1] }
      try call.give("x") {
        try call.emit.expanded(
          call.emit.mul(call.kept(call.gradient), 1 / Double(max(count, 1))), to: shape)
      }
    },
    // Equal extrema share the gradient equally, like PyTorch's `amax`.
    GradientRule("reduce_max", "reduce_min") { call in
      let e = call.emit
      try call.give("x") {
        let best = try e.compare("equal", call.x, call.kept(call.y))
        let ones = try e.cast(best, to: e.type(call.x).scalar)
        return try e.mul(ones, e.div(call.kept(call.gradient), e.sum(ones, call.reducedAxes())))
      }
    },
    GradientRule("reduce_log_sum_exp") { call in
      let e = call.emit
      try call.give("x") {
        let weights = try e.unary("exp", e.sub(call.x, call.kept(call.y)))
        return try e.mul(weights, call.kept(call.gradient))
      }
    },
    // The product of all other elements is the product of a prefix and a suffix product. Unlike a division, this
    // handles zeros.
    GradientRule("reduce_prod") { call in
      try call.give("x") { try productGradient(call) }
    },
    GradientRule("cumsum") { call in
      let isReversed = try call.invocation.bool("reverse", default: false)
      let isExclusive = try call.invocation.bool("exclusive", default: false)
      let axis = try call.invocation.int("axis", default: 0)
      try call.give("x") {
        try call.emit(
          "cumsum",
          [
            "x": call.gradient, "axis": .int(axis), "exclusive": .bool(isExclusive), "reverse": .bool(!isReversed),
          ])
      }
    },
    // The gradients of the selected elements are scattered to their original positions.
    GradientRule("topk") { call in
      guard call.operation.outputs.count > 1 else {
        throw call.invocation.error(.invalidArgument, "has a gradient only where it returns indices")
      }
      let e = call.emit
      let axis = try call.invocation.axis("axis", default: -1, rank: e.rank(call.x))
      try call.give("x") {
        try e(
          "scatter_along_axis",
          [
            "data": e.zeros(e.shape(call.x), like: call.x), "indices": .name(call.operation.outputs[1].name),
            "updates": call.gradient, "axis": .int(axis), "mode": .string("add"),
          ])
      }
    },
  ]

  /// Reductions that are sums of elementwise functions.
  static let forms: [GradientDefinition] = [
    .single("reduce_l1_norm") { try $0.summed($0.emit.unary("abs", $0.x)) },
    .single("reduce_l2_norm") { try $0.emit.unary("sqrt", $0.summed($0.emit.square($0.x))) },
    .single("reduce_sum_square") { try $0.summed($0.emit.square($0.x)) },
    .single("reduce_log_sum") { try $0.emit.exactly("log", $0.summed($0.x)) },
  ]

  private static func productGradient(_ call: GradientCall) throws -> Binding {
    let e = call.emit
    let shape = try e.shape(call.x)
    let axes = try call.reducedAxes()
    let kept = shape.indices.filter { !axes.contains($0) }
    let count = axes.reduce(1) { $0 * shape[$1] }
    let outer = kept.reduce(1) { $0 * shape[$1] }
    guard count <= 256 else {
      throw call.invocation.error(.unsupported, "has a gradient over at most 256 elements, here are \(count)")
    }
    // [outer, count] with the reduced axes last.
    let perm = kept + axes
    let rows = try e.reshape(e.transpose(call.x, perm), [outer, count])
    let one = try e.tensor(Array(repeating: 1, count: outer), shape: [outer, 1], like: call.x)
    let parts = try (0..<count).map { try e.slice(rows, axis: 1, from: $0, count: 1) }
    var (before, after) = ([one], [one])
    for index in 0..<max(count - 1, 0) {
      before.append(try e.mul(before[index], parts[index]))
      after.append(try e.mul(after[index], parts[count - 1 - index]))
    }
    let others = try (0..<count).map { try e.mul(before[$0], after[count - 1 - $0]) }
    let back = try e.reshape(e.concat(others, axis: 1), perm.map { shape[$0] })
    let inverse = perm.indices.map { axis in perm.firstIndex(of: axis) ?? axis }
    return try e.mul(e.transpose(back, inverse), call.kept(call.gradient))
  }
}

extension GradientCall {
  /// The axes of the reduction, sorted.
  func reducedAxes() throws -> [Int] {
    let rank = try emit.rank(x)
    return try invocation.axes("axes", default: Array(0..<rank), rank: rank).sorted()
  }

  /// Reshapes a result of the reduction so that the reduced axes have size 1.
  func kept(_ value: Binding) throws -> Binding {
    let shape = try emit.shape(x)
    let axes = try reducedAxes()
    return try emit.reshape(value, shape.indices.map { axes.contains($0) ? 1 : shape[$0] })
  }
}

extension FormCall {
  /// Sums `value` over the axes of the operation.
  func summed(_ value: Binding) throws -> Binding {
    var arguments = operation.inputs.filter { $0.key == "axes" || $0.key == "keep_dims" }.compactMapValues(\.first)
    arguments["x"] = value
    return try emit("reduce_sum", arguments)
  }
}
