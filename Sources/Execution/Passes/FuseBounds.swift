import MIL

/// Replaces several operations that only bound a value by one. A product can then use it as its epilogue, and the value
/// keeps the layout in which it is computed. Early converters composed relu6 from the operations that Core ML had at
/// the time:
///
///     -max(-relu(x), -6)      =>  relu6(x)
///     clip(relu(x), -1, 3)    =>  clip(x, 0, 3)
///
/// No other operation may read the intermediate values.
struct FuseBounds: Pass {
  /// `sign` times `x`, clamped to `low...high`.
  private struct Bounds {
    var x: String
    var low = -Double.infinity
    var high = Double.infinity
    var sign = 1.0
    /// The first operation of the chain. The others are not listed, since a chain may be as long as the function.
    var first: Int

    mutating func keep(from least: Double, to most: Double) {
      let (least, most) = sign > 0 ? (least, most) : (-most, -least)
      (low, high) = (min(max(low, least), most), min(max(high, least), most))
    }

    /// The operation that computes the bounds; nil if there is none.
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
    let operations = function.body.operations
    var found: [String: Bounds] = [:]
    /// The previous operation in the chain of each operation.
    var before: [Int: Int] = [:]
    /// The last operation of each chain that can replace all before it, by the first one.
    var ends: [Int: (index: Int, bounds: Bounds)] = [:]
    for (index, operation) in operations.enumerated() {
      guard operation.outputs.count == 1, operation.outputs[0].type.tensor?.scalar.isFloat == true,
        let x = operation.binding("x")?.name, let own = bounds(operation, constants)
      else { continue }
      var all = Bounds(x: x, first: index)
      if let known = found[x], uses.onlyReader(of: x) == index, let maker = uses.maker(of: x) {
        (all, before[index]) = (known, maker)
      }
      all.keep(from: own.low, to: own.high)
      all.sign *= own.sign
      if all.first != index, all.operation != nil { ends[all.first] = (index, all) }
      found[operation.outputs[0].name] = all
    }
    var result = function
    var dropped: Set<Int> = []
    for (index, bounds) in ends.values {
      guard let (type, inputs) = bounds.operation else { continue }
      var parts: [Int] = []
      var last = index
      while let part = before[last] {
        parts.append(part)
        last = part
      }
      dropped.formUnion(parts)
      result.body.operations[index].type = type
      result.body.operations[index].inputs = inputs
      result.body.operations[index].origins = (parts.reversed() + [index]).flatMap { operations[$0].named }
    }
    guard !dropped.isEmpty else { return function }
    result.remove(dropped)
    return result
  }

  /// The bounds that an operation applies, and its sign.
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
