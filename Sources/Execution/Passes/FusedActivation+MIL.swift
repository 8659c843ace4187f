import MIL

extension FusedActivation {
  /// The activation that a MIL operation on `x` is; nil when it is none, or when a parameter is not known before running.
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
        ![.gelu, .geluTanh, .geluSigmoid, .hardSwish, .mish, .steps, .positiveSteps].contains(known)
      else { return nil }
      name = known
    }
    switch name {
    case .linear, .clampedRelu, .sigmoidHard, .scaledTanh, .clip, .steps, .positiveSteps:
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
  /// x f(x), where that has a name.
  var timesItsInput: FusedActivation? {
    switch name {
    case .sigmoid: FusedActivation(.silu)
    case .sigmoidHard where abs(6 * alpha - 1) < 1e-6 && beta == 0.5: FusedActivation(.hardSwish)
    default: nil
    }
  }
  /// Whether it gives 0 for all that `first` makes 0 of, so that `first` changes nothing before it: coremltools' spelling of hard swish.
  func isZeroed(by first: FusedActivation) -> Bool {
    name == .hardSwish && first.name == .thresholdedRelu && first.alpha <= -3
  }
}
