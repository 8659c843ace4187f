import CKernels
import MIL

/// Kernels with NCHWc operands and results: convolutions, and the operations between them.
enum BlockedKernels {
  static let all: [KernelImplementation] =
    [
      KernelImplementation("conv.nchwc", for: ["conv", "fused.conv"]) {
        try BlockedConvolution($0, from: .blocked).candidate
      },
      KernelImplementation("conv.nchwc.dense", for: ["conv", "fused.conv"]) {
        try BlockedConvolution($0, from: .dense).candidate
      },
      KernelImplementation("conv.nchwc.small_output", for: ["conv", "fused.conv"]) {
        try SmallOutputConvolution($0).candidate
      },
      KernelImplementation("conv.nchwc.bf16", for: ["conv", "fused.conv"]) {
        try LowPrecisionConvolution(inLowPrecision: $0).candidate
      },
      KernelImplementation("conv.nchwc.int8", for: "fused.conv") { try LowPrecisionConvolution($0).candidate },
      KernelImplementation("conv.winograd.2", for: ["conv", "fused.conv"]) {
        try BlockedWinograd($0, tile: 2).candidate
      },
      KernelImplementation("conv.winograd.4", for: ["conv", "fused.conv"]) {
        try BlockedWinograd($0, tile: 4).candidate
      },
      KernelImplementation("conv.winograd.6", for: ["conv", "fused.conv"]) {
        try BlockedWinograd($0, tile: 6).candidate
      },
      KernelImplementation("conv.winograd.2.fused_filter", for: ["conv", "fused.conv"]) {
        try FusedFilterWinograd($0, tile: 2).candidate
      },
      KernelImplementation("conv.winograd.4.fused_filter", for: ["conv", "fused.conv"]) {
        try FusedFilterWinograd($0, tile: 4).candidate
      },
      KernelImplementation("conv.winograd.6.fused_filter", for: ["conv", "fused.conv"]) {
        try FusedFilterWinograd($0, tile: 6).candidate
      },
      KernelImplementation("conv.nchwc.depthwise", for: ["conv", "fused.conv"]) { try BlockedWindow.depthwise($0) },
      KernelImplementation("conv_transpose.nchwc", for: "conv_transpose") { try BlockedTransposed($0).candidate },
      KernelImplementation("pool.nchwc", for: ["max_pool", "avg_pool"]) { try BlockedWindow.pool($0) },
      KernelImplementation("reduce.nchwc", for: ["reduce_mean", "reduce_max"]) { try BlockedElements.reduction($0) },
      KernelImplementation("copy.nchwc.last", for: "transpose") { try BlockedTranspose($0, toLast: true).candidate },
      KernelImplementation("copy.nchwc.first", for: "transpose") { try BlockedTranspose($0, toLast: false).candidate },
      KernelImplementation("alias.nchwc", for: ["reshape", "expand_dims", "squeeze"]) { try BlockedMoves.reshaped($0) },
      KernelImplementation("activation.nchwc", for: "fused.activation") { problem in
        let (op, alpha, beta) = try FusedActivation(problem.invocation).unary
        return try BlockedElements.unary(problem, op, alpha, beta)
      },
      KernelImplementation("batch_norm.nchwc", for: "batch_norm") { try BlockedElements.batchNorm($0) },
      KernelImplementation("affine.nchwc", for: "fused.affine") { try BlockedElements.affine($0) },
      KernelImplementation("pad.nchwc", for: "pad") { try BlockedElements.padded($0) },
      KernelImplementation("copy.nchwc", for: "concat") { try BlockedMoves.joined($0) },
      KernelImplementation("copy.nchwc", for: "split") { try BlockedMoves.split($0) },
      KernelImplementation("copy.nchwc", for: "slice_by_index") { try BlockedMoves.sliced($0) },
    ]
    + UnaryFunctions.all.filter { BlockedElements.unaries.contains($0.0) }.map { name, function in
      KernelImplementation("\(name).nchwc", for: name) { problem in
        let (op, alpha, beta) = try problem.known { try function(problem.invocation) }
        return try BlockedElements.unary(problem, op, alpha, beta)
      }
    }
    + BlockedElements.binaries.map { name, op in
      KernelImplementation("\(name).nchwc", for: name) { try BlockedElements.binary($0, op) }
    }
}
