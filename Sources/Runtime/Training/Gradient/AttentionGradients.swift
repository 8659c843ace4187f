import MIL

/// Attention, decomposed into matrix products and a softmax.
enum AttentionGradients {
  static let forms: [GradientDefinition] = [
    .single("scaled_dot_product_attention") { call in
      let e = call.emit
      let query = try call.argument("query")
      let depth = try e.shape(query).last ?? 1
      var scores = try e.mul(
        e.matmul(query, call.argument("key"), transposeY: true), 1 / Double(max(depth, 1)).squareRoot())
      if call.has("attn_mask") {
        let mask = try call.argument("attn_mask")
        // Far below any score, so that its exponential is zero.
        scores =
          try e.type(mask).scalar == .bool
          ? e.select(mask, scores, e.number(-1e30, like: scores)) : e.add(scores, mask)
      }
      let weights = try e("softmax", ["x": scores, "axis": .int(-1)])
      return try e.matmul(weights, call.argument("value"))
    }
  ]
}
