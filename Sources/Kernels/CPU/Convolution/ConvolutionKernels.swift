import CKernels
import MIL

enum ConvolutionKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("conv.depthwise", for: ["conv", "fused.conv"]) { problem in
      let conv = try problem.convolution()
      let g = conv.geometry
      guard g.groups == g.inChannels, g.groups > 1 || g.outChannels == 1, g.kernel[0] == 1, g.input[0] == 1,
        g.padBefore[0] == 0, g.padAfter[0] == 0
      else { throw Refusal("not one group a channel in one or two dimensions") }
      return conv.candidateByChannels(efficiency: 0.35) { ck_depthwise_conv2d_f32($0, $1, $2, $3, $4, $5, $6) }
    },
    KernelImplementation("conv.stored", for: ["conv", "fused.conv"]) { problem in
      try PointwiseConvolution(problem.convolution()).storedCandidate(problem.weight("weight"))
    },
    KernelImplementation("conv.packed", for: ["conv", "fused.conv"]) { try PackedConvolution($0).candidate },
    KernelImplementation("conv.pointwise", for: ["conv", "fused.conv"]) {
      try PointwiseConvolution($0.convolution()).candidate
    },
    KernelImplementation("conv.im2col", for: ["conv", "fused.conv"]) {
      try Im2colConvolution($0.convolution()).wholeCandidate()
    },
    KernelImplementation("conv.im2col.tiles", for: ["conv", "fused.conv"]) {
      try Im2colConvolution($0.convolution()).tiledCandidate()
    },
    KernelImplementation("conv.direct", for: ["conv", "fused.conv"]) { problem in
      let conv = try problem.convolution()
      return conv.candidateByChannels(efficiency: directEfficiency(conv)) {
        ck_conv_direct_f32($0, $1, $2, $3, $4, $5, $6)
      }
    },
    KernelImplementation("conv_transpose.gemm", for: "conv_transpose") {
      try TransposedByProduct($0.convolution()).candidate
    },
    KernelImplementation("conv_transpose.direct", for: "conv_transpose") { problem in
      let conv = try problem.convolution()
      return conv.candidateByChannels(efficiency: 0.03) { ck_conv_transpose_f32($0, $1, $2, $3, $4, $5, $6) }
    },
  ]

  /// The direct kernel keeps a window of the input in registers. It works best with few input channels and wide rows.
  private static func directEfficiency(_ conv: ConvolutionProblem) -> Double {
    let g = conv.geometry
    let isNarrow = g.output[2] < 16
    if conv.groupIn <= 4, g.kernelArea >= 9 { return isNarrow ? 0.1 : g.groups == 1 ? 0.55 : 0.25 }
    return isNarrow || g.kernelArea == 1 ? 0.1 : 0.2
  }
}
