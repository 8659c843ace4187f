import MIL

extension KernelProblem {
  /// Everything that decides how fast kernels are for this problem, as text: the operation, its types and attributes,
  /// and how its weights are stored. It has neither names nor weight values, so that layers of one shape share one
  /// signature.
  var signature: String {
    var words = [operation]
    for (number, operand) in operands.enumerated() {
      words.append("\(operand.parameter) \(operand.index) \(described(number, operand))")
    }
    words += outputs.map { "to \($0)" }
    if allowsLowPrecision { words.append("low precision") }
    return words.joined(separator: "\n")
  }

  private func described(_ number: Int, _ operand: Operand) -> String {
    guard let value = invocation.valueIfKnown(operand.parameter, operand.index) else {
      guard let weight = operand.weight else { return "\(operand.type)" }
      return "\(operand.type) stored \(weight.form.kind) \(weight.byteCount)"
    }
    guard let tensor = value.tensor else { return "\(value)" }
    // Axes, strides and bounds are attributes. Scales and biases are weights.
    guard tensor.count <= Self.mostAttributes, tensor.count == 1 || !tensor.scalar.isFloat else {
      return "\(operand.type) stored"
    }
    if tensor.scalar == .string { return "\((try? tensor.strings()) ?? [])" }
    return "\(operand.type) \((try? tensor.doubles()) ?? [])"
  }

  private static let mostAttributes = 32
}

extension WeightEncoding {
  /// Distinguishes encodings that need different kernels.
  fileprivate var kind: String {
    switch self {
    case .dense(let numbers): "as \(numbers.tensor.scalar)"
    case .rounded(let form): "rounded \(form.kind)"
    case .palette: "palette"
    case .scaled: "scaled"
    case .spread(_, let form): "spread \(form.kind)"
    case .masked(_, let form): "masked \(form.kind)"
    case .gathered(_, let form): "gathered \(form.kind)"
    case .part(let form, _): form.kind
    case .joined(let parts): "joined \(parts.forms.map(\.kind).joined(separator: ", "))"
    }
  }
}
