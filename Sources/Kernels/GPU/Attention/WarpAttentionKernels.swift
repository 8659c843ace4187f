import MIL

/// Attention on a GPU's matrix units. For fp16, with softmax weights in two parts, it is as accurate as
/// `attention.opencl`, which computes the problems that these kernels refuse.
enum WarpAttentionKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation(
      "attention.mma.f16", for: ["scaled_dot_product_attention", AttentionShape.operationName], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      let warps = try problem.requireWarps(.attention)
      let attention = try OpenCLAttentionProblem(problem)
      guard attention.f16.isSuperset(of: [.first, .second, .third]) else {
        throw Refusal("queries, keys or values are not fp16")
      }
      let device = attention.context.device
      if let reason = CLAttention.WarpTile.refusal(of: attention.form, on: device) { throw Refusal(reason) }
      let isLow = problem.allowsLowPrecision
      let efficiency = CLAttention.WarpTile(attention.form, on: device)?.efficiency(attention.form) ?? 0.02
      var candidate = attention.candidate(efficiency: efficiency) { context, form, f16 in
        try CLAttention(context, warps, form, f16: f16, isLowPrecision: isLow)
      }
      candidate.latency = 0.07e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return candidate
    },
    // Only where low precision is allowed.
    KernelImplementation(
      "attention.mma.tf32", for: ["scaled_dot_product_attention", AttentionShape.operationName], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      guard problem.allowsLowPrecision else { throw Refusal("low precision is not allowed") }
      let warps = try problem.requireWarps(.floatAttention)
      let attention = try OpenCLAttentionProblem(problem)
      guard attention.f16.isDisjoint(with: [.first, .second, .third]) else {
        throw Refusal("queries, keys or values are fp16")
      }
      let device = attention.context.device
      if let reason = CLAttention.FloatTile.refusal(of: attention.form, on: device) { throw Refusal(reason) }
      let efficiency = CLAttention.FloatTile(attention.form, on: device)?.efficiency(attention.form) ?? 0.02
      var candidate = attention.candidate(efficiency: efficiency) { context, form, f16 in
        try CLAttention(floats: warps, context, form, f16: f16)
      }
      candidate.latency = 0.05e-6 * Double(attention.form.parts.reduce(0) { $0 + $1.rows })
      return candidate
    },
    // With warp groups. Softmax weights have two parts if the result is not fp16.
    KernelImplementation(
      "attention.wgmma.f16", for: ["scaled_dot_product_attention", AttentionShape.operationName], on: .openCL,
      mixesPrecisions: true
    ) { problem in
      let warps = try problem.requireWarps(.groupAttention)
      let attention = try OpenCLAttentionProblem(problem)
      guard attention.f16.isSuperset(of: [.first, .second, .third]) else {
        throw Refusal("queries, keys or values are not fp16")
      }
      let device = attention.context.device
      if let reason = CLAttention.groupRefusal(of: attention.form, on: device) { throw Refusal(reason) }
      let isLow = problem.allowsLowPrecision
      var candidate = attention.candidate(efficiency: 100) { context, form, f16 in
        try CLAttention(groups: warps, context, form, f16: f16, isLowPrecision: isLow)
      }
      candidate.latency = CLAttention.GroupTile(attention.form)?.seconds(attention.form, on: device) ?? 0
      return candidate
    },
  ]
}
