import MIL

extension FusedActivation {
  /// The activation that a MIL operation applies to `x`. Nil if it is not an activation, or if a parameter is only
  /// known at run time.
  init?(mil operation: Operation, _ constants: [String: Value]) {
    func number(_ parameter: String) -> Double? {
      guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
      return (try? tensor.doubles())?.first
    }
    let name: Name
    switch operation.type {
    case "fused.activation":
      guard let word = try? operation.value("activation", constants)?.tensor?.strings().first,
        let known = Name(rawValue: word)
      else { return nil }
      self.init(known, alpha: number("alpha") ?? 0, beta: number("beta") ?? 0)
      return
    case "gelu":
      let mode =
        operation.inputs["mode"] == nil ? "EXACT" : try? operation.value("mode", constants)?.tensor?.strings().first
      switch mode {
      case "EXACT": name = .gelu
      case "TANH_APPROXIMATION": name = .geluTanh
      case "SIGMOID_APPROXIMATION": name = .geluSigmoid
      default: return nil
      }
    default:
      guard let known = Name(rawValue: operation.type),
        ![
          .gelu, .geluTanh, .geluSigmoid, .hardSwish, .hardSwishScaled, .hardSwishCut, .mish, .steps, .positiveSteps,
        ].contains(known)
      else { return nil }
      name = known
    }
    switch name {
    case .linear, .clampedRelu, .sigmoidHard, .scaledTanh, .clip, .steps, .positiveSteps, .hardSwishScaled,
      .hardSwishCut:
      guard let alpha = number("alpha"), let beta = number("beta") else { return nil }
      self.init(name, alpha: alpha, beta: beta)
    case .leakyRelu, .elu, .thresholdedRelu:
      guard let alpha = number("alpha") else { return nil }
      self.init(name, alpha: alpha)
    case .relu, .relu6, .sigmoid, .hardSwish, .tanh, .silu, .softplus, .softsign, .gelu, .geluTanh, .geluSigmoid,
      .mish:
      self.init(name)
    }
  }

  /// The activation as arguments of a fused operation.
  var arguments: [String: [Binding]] {
    ["activation": [.string(name.rawValue)], "alpha": [.float(Float(alpha))], "beta": [.float(Float(beta))]]
  }

  /// `x min(max(x + 3, 0), 6) factor`, with exactly that factor. Nil where no fp32 parameters can hold it.
  static func hardSwish(factor: Double) -> FusedActivation? {
    isSixth(factor) ? FusedActivation(.hardSwish) : scaled(alpha: factor, beta: 6 * factor)
  }

  /// `x min(max(alpha x + 1 / 2, 0), 1)`, with exactly that slope.
  static func hardSwish(slope alpha: Double) -> FusedActivation? {
    isSixth(alpha) ? FusedActivation(.hardSwish) : scaled(alpha: alpha, beta: 1)
  }

  private static func scaled(alpha: Double, beta: Double) -> FusedActivation? {
    let numbers = [Float(alpha), Float(beta)]
    guard numbers.allSatisfy({ $0 > 0 && $0.isNormal }) else { return nil }
    return FusedActivation(.hardSwishScaled, alpha: Double(numbers[0]), beta: Double(numbers[1]))
  }

  /// One sixth, or the fp32 value nearest to it. The nearest fp16 value does not count: it is 0.02 % smaller.
  private static func isSixth(_ value: Double) -> Bool { value == 1 / 6 || value == Double(Float(1) / 6) }

  /// The activation x f(x), if it has a name.
  var timesItsInput: FusedActivation? {
    switch name {
    case .sigmoid: FusedActivation(.silu)
    case .sigmoidHard where beta == 0.5: .hardSwish(slope: alpha)
    default: nil
    }
  }

  /// This activation applied to the result of `first`, as one activation; nil if there is none. coremltools emits a
  /// threshold at -3 before a hard swish.
  func following(_ first: FusedActivation) -> FusedActivation? {
    guard first.name == .thresholdedRelu, let cut = Float(exactly: first.alpha), cut.isFinite else { return nil }
    switch name {
    case .hardSwish: return cut <= -3 ? self : nil
    case .hardSwishScaled:
      // The threshold has no effect if the ramp is already 0 at the cut.
      if alpha * Double(cut) + beta / 2 <= 0 { return self }
      return beta == 1 ? FusedActivation(.hardSwishCut, alpha: alpha, beta: Double(cut)) : nil
    default: return nil
    }
  }
}
