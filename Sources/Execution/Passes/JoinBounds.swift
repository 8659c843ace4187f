import MIL

/// Puts one operation in the place of several that only bound a value, so that a product may end with it and the value stays in the layout that it
/// is calculated in. Converters of old wrote relu6 of what Core ML had then:
///
///     -max(-relu(x), -6)      =>  relu6(x)
///     clip(relu(x), -1, 3)    =>  clip(x, 0, 3)
///
/// Nobody else may see what lies between.
struct JoinBounds: Pass {
  /// `sign` times the value `x`, kept from `low` to `high`.
  private struct Bounds {
    var x: String
    var low = -Double.infinity
    var high = Double.infinity
    var sign = 1.0
    var parts: [Int] = []

    mutating func keep(from least: Double, to most: Double) {
      let (least, most) = sign > 0 ? (least, most) : (-most, -least)
      (low, high) = (min(max(low, least), most), min(max(high, least), most))
    }

    /// The operation that it is; nil where there is none of that name.
    var operation: (type: String, inputs: [String: [Binding]])? {
      guard sign > 0, low <= high, low.isFinite else { return nil }
      let x: [String: [Binding]] = ["x": [.name(x)]]
      switch (low, high) {
      case (0, .infinity): return ("relu", x)
      case (0, 6): return ("relu6", x)
      case (_, .infinity): return ("threshold", x.merging(["alpha": [.float(Float(low))]]) { $1 })
      default:
        return ("clip", x.merging(["alpha": [.float(Float(low))], "beta": [.float(Float(high))]]) { $1 })
      }
    }
  }

  func callAsFunction(_ function: Function) -> Function {
    let (uses, constants) = (Uses(function), function.constants)
    var found: [String: Bounds] = [:]
    var result = function
    var dropped: Set<Int> = []
    for (index, operation) in function.body.operations.enumerated() {
      guard operation.outputs.count == 1, operation.outputs[0].type.tensor?.scalar.isFloat == true,
        let x = operation.binding("x")?.name, let own = bounds(operation, constants)
      else { continue }
      var all = Bounds(x: x)
      if let before = found[x], uses.onlyReader(of: x) == index { all = before }
      all.keep(from: own.low, to: own.high)
      all.sign *= own.sign
      if let (type, inputs) = all.operation, !all.parts.isEmpty {
        dropped.formUnion(all.parts)
        result.body.operations[index].type = type
        result.body.operations[index].inputs = inputs
        result.body.operations[index].origins = (all.parts + [index]).flatMap { function.body.operations[$0].named }
      }
      all.parts.append(index)
      found[operation.outputs[0].name] = all
    }
    guard !dropped.isEmpty else { return function }
    result.body.operations = result.body.operations.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
    return result
  }

  /// What an operation keeps its value between, and its sign.
  private func bounds(_ operation: Operation, _ constants: [String: Value]) -> (
    low: Double, high: Double, sign: Double
  )? {
    func number(_ parameter: String) -> Double? {
      guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
      return (try? tensor.doubles())?.first.flatMap { $0.isNaN ? nil : $0 }
    }
    switch operation.type {
    case "relu": return (0, .infinity, 1)
    case "relu6": return (0, 6, 1)
    case "threshold": return number("alpha").map { ($0, .infinity, 1) }
    case "clip":
      guard let low = number("alpha"), let high = number("beta"), low <= high else { return nil }
      return (low, high, 1)
    case "linear_activation" where number("alpha") == -1 && number("beta") == 0: return (-.infinity, .infinity, -1)
    default: return nil
    }
  }
}
