import CKernels
import MIL

/// The C kernels' functions for operations of one operand, with their parameters.
enum UnaryFunctions {
  typealias Function = @Sendable (Invocation) throws -> (ck_unary_op, Float, Float)

  private static func plain(_ op: ck_unary_op) -> Function { { _ in (op, 0, 0) } }

  private static func scaled(_ op: ck_unary_op, _ alpha: Double? = nil, _ beta: Double? = nil) -> Function {
    { call in
      (
        op, Float(try alpha.map { try call.double("alpha", default: $0) } ?? call.double("alpha", default: 0)),
        Float(try beta.map { try call.double("beta", default: $0) } ?? call.double("beta", default: 0))
      )
    }
  }

  private static func shifted(_ op: ck_unary_op, _ epsilon: Double) -> Function {
    { call in (op, Float(try call.double("epsilon", default: epsilon)), 0) }
  }

  static let all: [(String, Function)] = [
    ("abs", plain(CK_UNARY_ABS)), ("acos", plain(CK_UNARY_ACOS)), ("asin", plain(CK_UNARY_ASIN)),
    ("atan", plain(CK_UNARY_ATAN)), ("atanh", plain(CK_UNARY_ATANH)), ("ceil", plain(CK_UNARY_CEIL)),
    ("cos", plain(CK_UNARY_COS)), ("cosh", plain(CK_UNARY_COSH)), ("erf", plain(CK_UNARY_ERF)),
    ("exp", plain(CK_UNARY_EXP)), ("exp2", plain(CK_UNARY_EXP2)), ("floor", plain(CK_UNARY_FLOOR)),
    ("round", plain(CK_UNARY_ROUND)), ("sign", plain(CK_UNARY_SIGN)), ("sin", plain(CK_UNARY_SIN)),
    ("sinh", plain(CK_UNARY_SINH)), ("sqrt", plain(CK_UNARY_SQRT)), ("square", plain(CK_UNARY_SQUARE)),
    ("tan", plain(CK_UNARY_TAN)), ("tanh", plain(CK_UNARY_TANH)),
    ("nn.asinh", plain(CK_UNARY_ASINH)), ("nn.acosh", plain(CK_UNARY_ACOSH)),
    ("clip", scaled(CK_UNARY_CLIP)), ("threshold", scaled(CK_UNARY_THRESHOLD)),
    ("inverse", shifted(CK_UNARY_RECIPROCAL, 1e-4)), ("log", shifted(CK_UNARY_LOG, 1e-45)),
    ("rsqrt", shifted(CK_UNARY_RSQRT, 1e-12)),
    ("relu", plain(CK_UNARY_RELU)), ("relu6", plain(CK_UNARY_RELU6)), ("sigmoid", plain(CK_UNARY_SIGMOID)),
    ("silu", plain(CK_UNARY_SILU)), ("softplus", plain(CK_UNARY_SOFTPLUS)), ("softsign", plain(CK_UNARY_SOFTSIGN)),
    ("clamped_relu", scaled(CK_UNARY_CLAMPED_RELU)), ("elu", scaled(CK_UNARY_ELU, 1)),
    ("leaky_relu", scaled(CK_UNARY_LEAKY_RELU, 0.01)), ("linear_activation", scaled(CK_UNARY_LINEAR, 1, 0)),
    ("scaled_tanh", scaled(CK_UNARY_SCALED_TANH, 1, 1)), ("sigmoid_hard", scaled(CK_UNARY_HARD_SIGMOID, 0.2, 0.5)),
    ("thresholded_relu", scaled(CK_UNARY_THRESHOLDED_RELU, 1)),
    (
      "gelu",
      { call in
        switch try FusedActivation(geluOf: call).name {
        case .geluTanh: (CK_UNARY_GELU_TANH, 0, 0)
        case .geluSigmoid: (CK_UNARY_GELU_SIGMOID, 0, 0)
        default: (CK_UNARY_GELU, 0, 0)
        }
      }
    ),
  ]

  /// The C kernels' function for an operation of one operand.
  static func function(of call: Invocation) throws -> (op: ck_unary_op, alpha: Float, beta: Float) {
    if call.operation.type == "fused.activation" { return try FusedActivation(call).unary }
    guard let function = byName[call.operation.type] else {
      throw Refusal("there is no vector kernel for '\(call.operation.type)'")
    }
    let (op, alpha, beta) = try function(call)
    return (op, alpha, beta)
  }

  private static let byName = Dictionary(all, uniquingKeysWith: { first, _ in first })
}
