import CKernels
import MIL

extension KernelTable {
  /// Rows that take and give channels in blocks: convolutions, and what stands between them.
  static let blockedRows: [Row] =
    [
      Row("conv.blocked", for: ["conv", "fused.conv"]) { try BlockedConvolution($0, from: .blocked).offer },
      Row("conv.blocked.dense", for: ["conv", "fused.conv"]) { try BlockedConvolution($0, from: .dense).offer },
      Row("conv.blocked.few", for: ["conv", "fused.conv"]) { try FewOutputs($0).offer },
      Row("conv.blocked.bf16", for: ["conv", "fused.conv"]) { try ShortConvolution(inLowPrecision: $0).offer },
      Row("conv.blocked.int8", for: "fused.conv") { try ShortConvolution($0).offer },
      Row("conv.winograd.2", for: ["conv", "fused.conv"]) { try BlockedWinograd($0, tile: 2).offer },
      Row("conv.winograd.4", for: ["conv", "fused.conv"]) { try BlockedWinograd($0, tile: 4).offer },
      Row("conv.winograd.6", for: ["conv", "fused.conv"]) { try BlockedWinograd($0, tile: 6).offer },
      Row("conv.winograd.2.late", for: ["conv", "fused.conv"]) { try LateWinograd($0, tile: 2).offer },
      Row("conv.winograd.4.late", for: ["conv", "fused.conv"]) { try LateWinograd($0, tile: 4).offer },
      Row("conv.winograd.6.late", for: ["conv", "fused.conv"]) { try LateWinograd($0, tile: 6).offer },
      Row("conv.blocked.depthwise", for: ["conv", "fused.conv"]) { try BlockedWindow.depthwise($0) },
      Row("conv_transpose.blocked", for: "conv_transpose") { try BlockedTransposed($0).offer },
      Row("pool.blocked", for: ["max_pool", "avg_pool"]) { try BlockedWindow.pool($0) },
      Row("reduce.blocked", for: ["reduce_mean", "reduce_max"]) { try BlockedElements.reduction($0) },
      Row("copy.blocked.last", for: "transpose") { try BlockedTranspose($0, toLast: true).offer },
      Row("copy.blocked.first", for: "transpose") { try BlockedTranspose($0, toLast: false).offer },
      Row("alias.blocked", for: ["reshape", "expand_dims", "squeeze"]) { try BlockedMoves.reshaped($0) },
      Row("activation.blocked", for: "fused.activation") { site in
        let (op, alpha, beta) = try FusedActivation(site.invocation).unary
        return try BlockedElements.unary(site, op, alpha, beta)
      },
      Row("batch_norm.blocked", for: "batch_norm") { try BlockedElements.batchNorm($0) },
      Row("affine.blocked", for: "fused.affine") { try BlockedElements.affine($0) },
      Row("pad.blocked", for: "pad") { try BlockedElements.padded($0) },
      Row("copy.blocked", for: "concat") { try BlockedMoves.joined($0) },
      Row("copy.blocked", for: "split") { try BlockedMoves.split($0) },
      Row("copy.blocked", for: "slice_by_index") { try BlockedMoves.sliced($0) },
    ]
    + unary.filter { BlockedElements.unaries.contains($0.0) }.map { name, function in
      Row("\(name).blocked", for: name) { site in
        let (op, alpha, beta) = try site.known { try function(site.invocation) }
        return try BlockedElements.unary(site, op, alpha, beta)
      }
    }
    + BlockedElements.binaries.map { name, op in
      Row("\(name).blocked", for: name) { try BlockedElements.binary($0, op) }
    }
}
