import MIL

/// Attention as products and a softmax; reductions as sums of functions; sums of products by labels as products.
extension Gradients {
  static let attentionForms: [GradientForm] = [
    .single("scaled_dot_product_attention") { call in
      let e = call.emit
      let query = try call.argument("query")
      let depth = try e.shape(query).last ?? 1
      var scores = try e.mul(
        e.matmul(query, call.argument("key"), transposeY: true), 1 / Double(max(depth, 1)).squareRoot())
      if call.has("attn_mask") {
        let mask = try call.argument("attn_mask")
        // A number that no score reaches, and whose exponential is zero.
        scores =
          try e.type(mask).scalar == .bool
          ? e.select(mask, scores, e.number(-1e30, like: scores)) : e.add(scores, mask)
      }
      let weights = try e("softmax", ["x": scores, "axis": .int(-1)])
      return try e.matmul(weights, call.argument("value"))
    }
  ]

  static let reductionForms: [GradientForm] = [
    .single("reduce_l1_norm") { try $0.summed($0.emit.unary("abs", $0.x)) },
    .single("reduce_l2_norm") { try $0.emit.unary("sqrt", $0.summed($0.emit.square($0.x))) },
    .single("reduce_sum_square") { try $0.summed($0.emit.square($0.x)) },
    .single("reduce_log_sum") { try $0.emit.exactly("log", $0.summed($0.x)) },
  ]
}

extension FormCall {
  /// The sum of `value` over the axes of the operation.
  func summed(_ value: Binding) throws -> Binding {
    var arguments = operation.inputs.filter { $0.key == "axes" || $0.key == "keep_dims" }.compactMapValues(\.first)
    arguments["x"] = value
    return try emit("reduce_sum", arguments)
  }
}
