import MIL

/// Writes an optimizer's step, with the formulas of PyTorch's `SGD` and `Adam`.
///
/// - SGD: v = momentum v + g, w = w - rate v; without momentum w = w - rate g.
/// - Adam: m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
///   w = w - rate / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + eps).
struct OptimizerWriter {
  /// The scalars of a step. They are inputs, so one program serves all steps.
  enum Number: String, CaseIterable {
    case rate, momentum, eps, beta1, beta2
    /// 1 - beta, rounded once. 1 - 0.999 computed in fp32 would be wrong from the fifth digit on.
    case rest1, rest2
    /// 1 / sqrt(1 - beta2^t)
    case rootCorrection = "root_correction"
  }

  /// A state per element of a parameter that is kept between steps.
  enum Moment: String, CaseIterable {
    case first, second, sum
  }

  enum Step: Hashable {
    case plain, momentum, adam

    /// The scalars that the step reads.
    var numbers: [Number] {
      switch self {
      case .plain: [.rate]
      case .momentum: [.rate, .momentum]
      case .adam: [.rate, .eps, .beta1, .beta2, .rest1, .rest2, .rootCorrection]
      }
    }

    var moments: [Moment] {
      switch self {
      case .plain: []
      case .momentum: [.first]
      case .adam: [.first, .second]
      }
    }
  }

  let emit: Emitter
  let numbers: [Number: Binding]

  /// Returns the parameter and its moments after the step.
  func write(
    _ step: Step, _ weight: Binding, _ gradient: Binding, _ moments: [Moment: Binding]
  ) throws -> (weight: Binding, moments: [Moment: Binding]) {
    switch step {
    case .plain: return (try emit.sub(weight, emit.mul(gradient, number(.rate))), [:])
    case .momentum:
      let speed = try emit.add(emit.mul(moment(.first, moments), number(.momentum)), gradient)
      return (try emit.sub(weight, emit.mul(speed, number(.rate))), [.first: speed])
    case .adam:
      let first = try mixed(moment(.first, moments), gradient, by: number(.beta1), number(.rest1))
      let second = try mixed(moment(.second, moments), emit.square(gradient), by: number(.beta2), number(.rest2))
      let root = try emit.mul(emit.unary("sqrt", second), number(.rootCorrection))
      let change = try emit.div(emit.mul(first, number(.rate)), emit.add(root, number(.eps)))
      return (try emit.sub(weight, change), [.first: first, .second: second])
    }
  }

  /// beta old + (1 - beta) new
  private func mixed(_ old: Binding, _ new: Binding, by beta: Binding, _ rest: Binding) throws -> Binding {
    try emit.add(emit.mul(old, beta), emit.mul(new, rest))
  }

  private func number(_ number: Number) throws -> Binding {
    guard let value = numbers[number] else { throw MILError(.invalidProgram, "'\(number.rawValue)' is not given") }
    return value
  }

  private func moment(_ moment: Moment, _ all: [Moment: Binding]) throws -> Binding {
    guard let value = all[moment] else { throw MILError(.invalidProgram, "'\(moment.rawValue)' is not given") }
    return value
  }
}
