import Foundation
import MIL

extension FusedActivation {
  private func stepped(_ x: Double, from low: Double, to high: Double) -> Double {
    let step = (x / alpha).rounded(.toNearestOrEven)
    return alpha * min(max(step.isNaN ? 0 : step, low), high)
  }

  package func callAsFunction(_ x: Double) -> Double {
    switch name {
    case .linear: return alpha * x + beta
    case .relu: return x.isNaN ? x : max(x, 0)
    case .relu6: return x.isNaN ? x : min(max(x, 0), 6)
    case .leakyRelu: return x >= 0 ? x : alpha * x
    case .clampedRelu: return x.isNaN ? x : min(x >= 0 ? x : alpha * x, beta)
    case .thresholdedRelu: return x.isNaN || x >= alpha ? x : 0
    case .elu: return x >= 0 ? x : alpha * expm1(x)
    case .sigmoid: return 1 / (1 + exp(-x))
    case .sigmoidHard: return x.isNaN ? x : min(max(alpha * x + beta, 0), 1)
    case .hardSwish: return x.isNaN ? x : x * min(max(x + 3, 0), 6) / 6
    case .hardSwishScaled: return x.isNaN ? x : x * min(max(alpha * x + beta / 2, 0), beta)
    case .hardSwishCut: return x.isNaN ? x : x < beta ? 0 : x * min(max(alpha * x + 0.5, 0), 1)
    case .tanh: return Foundation.tanh(x)
    case .scaledTanh: return alpha * Foundation.tanh(beta * x)
    case .silu: return x / (1 + exp(-x))
    case .softplus: return max(x, 0) + log1p(exp(-abs(x)))
    case .softsign: return x / (1 + abs(x))
    case .gelu: return x * (1 + erf(x / 2.0.squareRoot())) / 2
    case .geluTanh: return x * (1 + Foundation.tanh((2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x))) / 2
    case .geluSigmoid: return x / (1 + exp(-1.702 * x))
    case .clip: return x.isNaN ? x : min(max(x, alpha), beta)
    case .mish: return x * Foundation.tanh(max(x, 0) + log1p(exp(-abs(x))))
    case .steps: return stepped(x, from: beta, to: beta + 255)
    case .positiveSteps: return stepped(x, from: 0, to: beta)
    }
  }
}
