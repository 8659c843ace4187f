import MIL

/// Gathering. The gradients of the results are added to the elements that were read; the indices get no gradient.
enum GatherGradients {
  static let rules: [GradientRule] = [
    GradientRule("gather") { call in
      let axis = try call.invocation.axis("axis", default: 0, rank: call.emit.rank(call.x))
      let batch = try call.invocation.int("batch_dims", default: 0)
      try call.give("x") {
        if batch > 0 { return try batchedGather(call, axis: axis, batch: batch) }
        return try place(call, "scatter", ["axis": .int(axis)])
      }
    },
    GradientRule("gather_along_axis") { call in
      try call.give("x") {
        let axis = try call.invocation.axis("axis", default: 0, rank: call.emit.rank(call.x))
        return try place(call, "scatter_along_axis", ["axis": .int(axis)])
      }
    },
    GradientRule("gather_nd") { call in
      guard try call.invocation.int("batch_dims", default: 0) == 0 else {
        throw call.invocation.error(.unsupported, "has a gradient only without 'batch_dims'")
      }
      try call.give("x") { try place(call, "scatter_nd", [:]) }
    },
    scattered("scatter", "gather"),
    scattered("scatter_along_axis", "gather_along_axis"),
    scattered("scatter_nd", "gather_nd"),
  ]

  private static func place(_ call: GradientCall, _ scatter: String, _ more: [String: Binding]) throws -> Binding {
    let e = call.emit
    var arguments = more
    arguments["data"] = try e.zeros(e.shape(call.x), like: call.x)
    arguments["indices"] = try call.argument("indices")
    arguments["updates"] = try call.gradient
    arguments["mode"] = .string("add")
    return try e(scatter, arguments)
  }

  /// Merges the batch axes and the gathered axis: index i of batch item b becomes row b size + i.
  private static func batchedGather(_ call: GradientCall, axis: Int, batch: Int) throws -> Binding {
    let e = call.emit
    guard axis == batch else {
      throw call.invocation.error(.unsupported, "has a gradient only where 'axis' follows the batch")
    }
    let shape = try e.shape(call.x)
    let indices = try call.argument("indices")
    let picked = try e.shape(indices)
    let (items, size) = (shape[..<batch].reduce(1, *), shape[axis])
    let each = picked[batch...].reduce(1, *)
    let rows = try e.reshape(e.cast(indices, to: .int32), [items, each])
    let fromEnd = try e.add(rows, e.number(Double(size), like: rows))
    let positive = try e.select(e.compare("less", rows, 0), fromEnd, rows)
    let starts = try e.tensor((0..<items).map { Double($0 * size) }, shape: [items, 1], like: rows)
    let rest = Array(shape[(axis + 1)...])
    let result = try e(
      "scatter",
      [
        "data": e.zeros([items * size] + rest, like: call.x),
        "indices": e.reshape(e.add(positive, starts), [items * each]),
        "updates": e.reshape(call.gradient, [items * each] + rest), "axis": .int(0), "mode": .string("add"),
      ])
    return try e.reshape(result, shape)
  }

  private static func scattered(_ name: String, _ gather: String) -> GradientRule {
    GradientRule(name) { call in
      let e = call.emit
      let mode = try call.invocation.scatterMode()
      var indices = ["indices": try call.argument("indices")]
      if call.has("axis") { indices["axis"] = try call.argument("axis") }
      func picked() throws -> Binding {
        try e(gather, ["x": call.gradient].merging(indices) { first, _ in first })
      }
      switch mode {
      case .add, .sub:
        try call.give("data") { try call.gradient }
        try call.give("updates") { mode == .add ? try picked() : try e.neg(picked()) }
      case .update:
        try call.give("data") {
          let updates = try call.argument("updates")
          let hole: [String: Binding] = [
            "data": try call.gradient, "updates": try e.zeros(e.shape(updates), like: updates),
            "mode": .string("update"),
          ]
          return try e(name, hole.merging(indices) { first, _ in first })
        }
        try call.give("updates") { try picked() }
      case .mul, .div, .max, .min:
        throw call.invocation.error(.unsupported, "has no gradient in the mode '\(mode.rawValue)'")
      }
    }
  }
}
