import CKernels
import MIL

extension FusedActivation {
  /// The function as the C kernels name it, with its parameters.
  var unary: (op: ck_unary_op, alpha: Float, beta: Float) {
    let op: ck_unary_op =
      switch name {
      case .linear: alpha == 1 && beta == 0 ? CK_UNARY_IDENTITY : CK_UNARY_LINEAR
      case .relu: CK_UNARY_RELU
      case .relu6: CK_UNARY_RELU6
      case .leakyRelu: CK_UNARY_LEAKY_RELU
      case .clampedRelu: CK_UNARY_CLAMPED_RELU
      case .thresholdedRelu: CK_UNARY_THRESHOLDED_RELU
      case .elu: CK_UNARY_ELU
      case .sigmoid: CK_UNARY_SIGMOID
      case .sigmoidHard: CK_UNARY_HARD_SIGMOID
      case .hardSwish: CK_UNARY_HARD_SWISH
      case .hardSwishScaled: CK_UNARY_HARD_SWISH_SCALED
      case .hardSwishCut: CK_UNARY_HARD_SWISH_CUT
      case .tanh: CK_UNARY_TANH
      case .scaledTanh: CK_UNARY_SCALED_TANH
      case .silu: CK_UNARY_SILU
      case .softplus: CK_UNARY_SOFTPLUS
      case .softsign: CK_UNARY_SOFTSIGN
      case .gelu: CK_UNARY_GELU
      case .geluTanh: CK_UNARY_GELU_TANH
      case .geluSigmoid: CK_UNARY_GELU_SIGMOID
      case .clip: CK_UNARY_CLIP
      case .mish: CK_UNARY_MISH
      case .steps: CK_UNARY_STEPS
      case .positiveSteps: CK_UNARY_POSITIVE_STEPS
      }
    return (op, Float(alpha), Float(beta))
  }
}

/// The operations on a product before it is stored: bias, residual input, activation.
struct Epilogue: Sendable {
  let bias: Int?
  let add: Int?
  let op: ck_unary_op
  let alpha: Float
  let beta: Float

  /// Reads the optional `bias` and `add` slots and the activation of a problem.
  init(_ problem: KernelProblem) throws {
    bias = problem.optionalSlot("bias")
    add = problem.optionalSlot("add")
    // Operations of model files have no fused activation.
    let isPlain = !problem.operation.hasPrefix("fused.") && !problem.operation.hasPrefix("quantized.")
    (op, alpha, beta) = try (isPlain ? FusedActivation(.linear, alpha: 1) : FusedActivation(problem.invocation)).unary
  }

  func bias(_ frame: CPUFrame) -> UnsafePointer<Float>? { frame.input(optional: bias) }
  func add(_ frame: CPUFrame) -> UnsafePointer<Float>? { frame.input(optional: add) }

  /// The whole epilogue, for kernels that apply it while they store. With a residual input it has the bias only, and
  /// `finish` does the rest.
  func whole(_ frame: CPUFrame) -> ck_epilogue {
    add == nil
      ? ck_epilogue(bias: bias(frame), activation: op, alpha: alpha, beta: beta)
      : ck_epilogue(bias: bias(frame), activation: CK_UNARY_IDENTITY, alpha: 0, beta: 0)
  }

  /// Bias and activation of a tile whose rows are channels.
  func applyChannels(
    _ frame: CPUFrame, channel: Int, _ tile: UnsafeMutablePointer<Float>, channels: Int, columns: Int, stride: Int
  ) {
    guard bias != nil || op != CK_UNARY_IDENTITY else { return }
    var epilogue = ck_epilogue(bias: bias(frame), activation: op, alpha: alpha, beta: beta)
    ck_epilogue_f32(&epilogue, channel, tile, channels, columns, stride)
  }

  /// Adds the residual input to `count` stored elements from `offset` of the output on, and applies the activation.
  func finish(_ frame: CPUFrame, _ offset: Int, _ count: Int) {
    guard let add = add(frame) else { return }
    let target = frame.output(0, as: Float.self) + offset
    var (length, one) = (count, 1)
    _ = ck_binary_f32(CK_BINARY_ADD, target, add + offset, target, 1, &length, &one, &one)
    activate(target, count)
  }

  /// Residual input and activation for a range of columns of each row of a product that has its bias already.
  func finishRows(_ frame: CPUFrame, rows: Int, columns: Int, _ range: Range<Int>) {
    for row in 0..<rows {
      let offset = row * columns + range.lowerBound
      if add == nil {
        activate(frame.output(0, as: Float.self) + offset, range.count)
      } else {
        finish(frame, offset, range.count)
      }
    }
  }

  /// Applies the activation only.
  func activate(_ target: UnsafeMutablePointer<Float>, _ count: Int) {
    if op != CK_UNARY_IDENTITY { ck_unary_f32(op, alpha, beta, target, target, count) }
  }
}
