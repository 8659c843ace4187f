import MIL

extension KernelProblem {
  /// What decides how fast rows are here, as text: the operation, its types and attributes, how its weights are stored. Names are not in it, nor
  /// the weights' numbers, so that layers of one shape have one signature.
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
    // Axes, strides and bounds are attributes; scales and biases are weights.
    guard tensor.count <= Self.mostAttributes, tensor.count == 1 || !tensor.scalar.isFloat else {
      return "\(operand.type) stored"
    }
    if tensor.scalar == .string { return "\((try? tensor.strings()) ?? [])" }
    return "\(operand.type) \((try? tensor.doubles()) ?? [])"
  }

  private static let mostAttributes = 32
}

extension WeightEncoding {
  /// What tells it from other forms whose kernels are others.
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
