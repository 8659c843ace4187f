import MIL

extension KernelTable {
  /// Attention on a GPU's units for matrices. Of halves, with shares in two parts, it is as exact as `attention.opencl`, which takes what these
  /// refuse.
  static let warpAttentionRows: [Row] = [
    Row(
      "attention.mma.halves", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      let warps = try site.requireWarps(.attention)
      let attention = try OpenCLAttentionSite(site)
      guard attention.halves.isSuperset(of: [.first, .second, .third]) else {
        throw Refusal("queries, keys or values are not halves")
      }
      let device = attention.context.device
      if let reason = CLAttention.WarpTile.refusal(of: attention.form, on: device) { throw Refusal(reason) }
      let isLow = site.allowsLowPrecision
      let efficiency = CLAttention.WarpTile(attention.form, on: device)?.efficiency(attention.form) ?? 0.02
      var offer = attention.offer(efficiency: efficiency) { context, form, halves in
        try CLAttention(context, warps, form, halves: halves, isLowPrecision: isLow)
      }
      offer.latency = 0.07e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return offer
    },
    // Where low precision is allowed.
    Row(
      "attention.mma.tf32", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      guard site.allowsLowPrecision else { throw Refusal("low precision is not allowed") }
      let warps = try site.requireWarps(.floatAttention)
      let attention = try OpenCLAttentionSite(site)
      guard attention.halves.isDisjoint(with: [.first, .second, .third]) else {
        throw Refusal("queries, keys or values are halves")
      }
      let device = attention.context.device
      if let reason = CLAttention.FloatTile.refusal(of: attention.form, on: device) { throw Refusal(reason) }
      let efficiency = CLAttention.FloatTile(attention.form, on: device)?.efficiency(attention.form) ?? 0.02
      var offer = attention.offer(efficiency: efficiency) { context, form, halves in
        try CLAttention(floats: warps, context, form, halves: halves)
      }
      offer.latency = 0.05e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return offer
    },
    // By warp groups; shares have two parts where the result is not halves.
    Row(
      "attention.wgmma.halves", for: ["scaled_dot_product_attention", AttentionForm.operationName], on: .openCL,
      mixesHalves: true
    ) { site in
      let warps = try site.requireWarps(.groupAttention)
      let attention = try OpenCLAttentionSite(site)
      guard attention.halves.isSuperset(of: [.first, .second, .third]) else {
        throw Refusal("queries, keys or values are not halves")
      }
      let device = attention.context.device
      if let reason = CLAttention.groupRefusal(of: attention.form, on: device) { throw Refusal(reason) }
      let isLow = site.allowsLowPrecision
      var offer = attention.offer(efficiency: 100) { context, form, halves in
        try CLAttention(groups: warps, context, form, halves: halves, isLowPrecision: isLow)
      }
      offer.latency = CLAttention.GroupTile(attention.form)?.seconds(attention.form, on: device) ?? 0
      return offer
    },
  ]
}
