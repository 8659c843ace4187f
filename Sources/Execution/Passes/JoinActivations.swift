import CoreMLKernels
import MIL

/// Puts one activation in the place of the operations that converters spell it with, so that it is one pass over memory and may end a
/// product:
///
///     x * sigmoid(x)                                     =>  silu
///     x * sigmoid_hard(x, 1/6, 1/2), x * relu6(x + 3) / 6  =>  hard swish
///     x * tanh(softplus(x))                              =>  mish
///
/// Nobody else may see what lies between.
struct JoinActivations: Pass {
  private let takesFused: Bool
  private let takesSilu: Bool

  init(on device: DeviceKind) {
    takesFused = !KernelTable.rows(for: "fused.activation", on: device).isEmpty
    takesSilu = !KernelTable.rows(for: "silu", on: device).isEmpty
  }

  func callAsFunction(_ function: Function) -> Function {
    var spelling = ActivationSpelling(function)
    var result = function
    for (index, operation) in function.body.operations.enumerated() {
      guard operation.type == "mul" || operation.type == "real_div",
        let found = spelling.activation(endingAt: index, of: function),
        found.name == .silu ? takesSilu : takesFused
      else { continue }
      var joined = operation
      joined.origins = found.parts.sorted().flatMap { function.body.operations[$0].named } + operation.named
      switch found.name {
      case .silu: (joined.type, joined.inputs) = ("silu", ["x": [.name(found.x)]])
      default:
        joined.type = "fused.activation"
        joined.inputs = ["x": [.name(found.x)], "activation": [.string(found.name.rawValue)]]
      }
      result.body.operations[index] = joined
      spelling.dropped.formUnion(found.parts)
    }
    result.body.operations = result.body.operations.enumerated().filter { !spelling.dropped.contains($0.offset) }
      .map(\.element)
    return result
  }
}

/// Reads a function backwards from the operation that an activation ends with.
private struct ActivationSpelling {
  struct Found {
    var name: FusedActivation.Name
    var x: String
    var parts: Set<Int>
  }

  let uses: Uses
  let constants: [String: Value]
  let types: [String: ValueType]
  var dropped: Set<Int> = []

  init(_ function: Function) {
    (uses, constants, types) = (Uses(function), function.constants, function.types)
  }

  func activation(endingAt index: Int, of function: Function) -> Found? {
    let operations = function.body.operations
    let operation = operations[index]
    guard operation.outputs.count == 1, let type = operation.outputs[0].type.tensor, type.scalar == .float32,
      let found = product(index, operations) ?? scaledProduct(index, operations),
      types[found.x]?.tensor == type, found.parts.isDisjoint(with: dropped)
    else { return nil }
    return found
  }

  /// x * gate(x).
  private func product(_ index: Int, _ operations: [Operation]) -> Found? {
    guard operations[index].type == "mul", let (left, right) = names(operations[index]) else { return nil }
    for (x, other) in [(left, right), (right, left)] {
      guard let gate = gate(other, readBy: index, operations), gate.x == x else { continue }
      return withoutThreshold(gate, readers: [index, gate.parts.min() ?? index], operations)
    }
    return nil
  }

  /// (x * relu6(x + 3)) / 6.
  private func scaledProduct(_ index: Int, _ operations: [Operation]) -> Found? {
    guard let inner = sixth(of: operations[index]), let maker = uses.maker(of: inner),
      uses.onlyReader(of: inner) == index,
      operations[maker].type == "mul", let (left, right) = names(operations[maker])
    else { return nil }
    for (x, other) in [(left, right), (right, left)] {
      guard let ramp = ramp(other, readBy: maker, operations), ramp.x == x else { continue }
      return Found(name: .hardSwish, x: x, parts: ramp.parts.union([maker]))
    }
    return nil
  }

  private func gate(_ name: String, readBy reader: Int, _ operations: [Operation]) -> Found? {
    guard let maker = uses.maker(of: name), uses.onlyReader(of: name) == reader else { return nil }
    let operation = operations[maker]
    switch operation.type {
    case "sigmoid": return operation.binding("x")?.name.map { Found(name: .silu, x: $0, parts: [maker]) }
    case "sigmoid_hard":
      guard let alpha = number("alpha", operation), Self.isSixth(alpha), number("beta", operation) == 0.5 else {
        return nil
      }
      return operation.binding("x")?.name.map { Found(name: .hardSwish, x: $0, parts: [maker]) }
    case "tanh":
      guard let inner = operation.binding("x")?.name, let soft = uses.maker(of: inner),
        operations[soft].type == "softplus", uses.onlyReader(of: inner) == maker
      else { return nil }
      return operations[soft].binding("x")?.name.map { Found(name: .mish, x: $0, parts: [maker, soft]) }
    default:
      guard let inner = sixth(of: operation), var found = ramp(inner, readBy: maker, operations) else { return nil }
      found.parts.insert(maker)
      return found
    }
  }

  /// min(max(x + 3, 0), 6).
  private func ramp(_ name: String, readBy reader: Int, _ operations: [Operation]) -> Found? {
    guard let maker = uses.maker(of: name), uses.onlyReader(of: name) == reader else { return nil }
    let operation = operations[maker]
    guard
      operation.type == "relu6"
        || operation.type == "clip" && number("alpha", operation) == 0 && number("beta", operation) == 6,
      let inner = operation.binding("x")?.name, let sum = uses.maker(of: inner), uses.onlyReader(of: inner) == maker,
      operations[sum].type == "add"
    else { return nil }
    for (one, other) in [("x", "y"), ("y", "x")] where number(other, operations[sum]) == 3 {
      return operations[sum].binding(one)?.name.map { Found(name: .hardSwish, x: $0, parts: [maker, sum]) }
    }
    return nil
  }

  /// Converters cut off below -3 first, where a hard swish is 0 anyway.
  private func withoutThreshold(_ found: Found, readers: Set<Int>, _ operations: [Operation]) -> Found {
    guard found.name == .hardSwish, let cut = uses.maker(of: found.x), operations[cut].type == "thresholded_relu",
      number("alpha", operations[cut]) == -3, uses.isRead(found.x, by: readers),
      let x = operations[cut].binding("x")?.name
    else { return found }
    return Found(name: .hardSwish, x: x, parts: found.parts.union([cut]))
  }

  /// What the operation takes a sixth of.
  private func sixth(of operation: Operation) -> String? {
    switch operation.type {
    case "real_div": return number("y", operation) == 6 ? operation.binding("x")?.name : nil
    case "mul":
      for (one, other) in [("x", "y"), ("y", "x")] {
        if let factor = number(other, operation), Self.isSixth(factor) { return operation.binding(one)?.name }
      }
      return nil
    default: return nil
    }
  }

  /// 1/6, or what single or half precision makes of it.
  private static func isSixth(_ value: Double) -> Bool { abs(value - 1 / 6.0) < 1e-7 || value == 0.1666259765625 }

  private func names(_ operation: Operation) -> (String, String)? {
    guard let x = operation.binding("x")?.name, let y = operation.binding("y")?.name else { return nil }
    return (x, y)
  }

  private func number(_ parameter: String, _ operation: Operation) -> Double? {
    guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
    return (try? tensor.doubles())?.first
  }
}
