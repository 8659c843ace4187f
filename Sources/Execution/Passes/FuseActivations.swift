import CoreMLKernels
import MIL

/// Replaces the sequences of operations that converters emit for an activation by one activation. It then takes one
/// pass over memory, and may become the epilogue of a product:
///
///     x * sigmoid(x)                                     =>  silu
///     x * sigmoid_hard(x, a, 1/2), x * relu6(x + 3) * a  =>  hard swish, with the file's own a
///     x * tanh(softplus(x))                              =>  mish
///
/// No other operation may read the intermediate values.
struct FuseActivations: Pass {
  private let takesFused: Bool
  private let takesSilu: Bool

  init(on device: DeviceKind) {
    takesFused = !KernelRegistry.implementations(for: "fused.activation", on: device).isEmpty
    takesSilu = !KernelRegistry.implementations(for: "silu", on: device).isEmpty
  }

  func callAsFunction(_ function: Function) -> Function {
    var spelling = ActivationPattern(function)
    var result = function
    for (index, operation) in function.body.operations.enumerated() {
      guard operation.type == "mul" || operation.type == "real_div",
        let found = spelling.activation(endingAt: index, of: function),
        found.activation.name == .silu ? takesSilu : takesFused
      else { continue }
      var joined = operation
      joined.origins = found.parts.sorted().flatMap { function.body.operations[$0].named } + operation.named
      switch found.activation.name {
      case .silu: (joined.type, joined.inputs) = ("silu", ["x": [.name(found.x)]])
      default:
        joined.type = "fused.activation"
        joined.inputs = ["x": [.name(found.x)]].merging(found.activation.arguments) { $1 }
      }
      result.body.operations[index] = joined
      spelling.dropped.formUnion(found.parts)
    }
    result.remove(spelling.dropped)
    return result
  }
}

/// Matches a function backwards from the last operation of an activation.
private struct ActivationPattern {
  struct Found {
    var activation: FusedActivation
    var x: String
    var parts: Set<Int>
  }

  /// min(max(x + 3, 0), 6), and the operations that compute it.
  private typealias Ramp = (x: String, parts: Set<Int>)

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
      return withThreshold(gate, readers: [index, gate.parts.min() ?? index], operations)
    }
    return nil
  }

  /// (x * relu6(x + 3)) * factor.
  private func scaledProduct(_ index: Int, _ operations: [Operation]) -> Found? {
    guard let (inner, factor) = scaled(operations[index]), let maker = uses.maker(of: inner),
      uses.onlyReader(of: inner) == index, let activation = FusedActivation.hardSwish(factor: factor),
      operations[maker].type == "mul", let (left, right) = names(operations[maker])
    else { return nil }
    for (x, other) in [(left, right), (right, left)] {
      guard let ramp = ramp(other, readBy: maker, operations), ramp.x == x else { continue }
      return Found(activation: activation, x: x, parts: ramp.parts.union([maker]))
    }
    return nil
  }

  private func gate(_ name: String, readBy reader: Int, _ operations: [Operation]) -> Found? {
    guard let maker = uses.maker(of: name), uses.onlyReader(of: name) == reader else { return nil }
    let operation = operations[maker]
    switch operation.type {
    case "sigmoid", "sigmoid_hard":
      guard let x = operation.binding("x")?.name,
        let activation = FusedActivation(mil: operation, constants)?.timesItsInput
      else { return nil }
      return Found(activation: activation, x: x, parts: [maker])
    case "tanh":
      guard let inner = operation.binding("x")?.name, let soft = uses.maker(of: inner),
        operations[soft].type == "softplus", uses.onlyReader(of: inner) == maker
      else { return nil }
      return operations[soft].binding("x")?.name.map {
        Found(activation: FusedActivation(.mish), x: $0, parts: [maker, soft])
      }
    default:
      guard let (inner, factor) = scaled(operation), let activation = FusedActivation.hardSwish(factor: factor),
        let ramp = ramp(inner, readBy: maker, operations)
      else { return nil }
      return Found(activation: activation, x: ramp.x, parts: ramp.parts.union([maker]))
    }
  }

  private func ramp(_ name: String, readBy reader: Int, _ operations: [Operation]) -> Ramp? {
    guard let maker = uses.maker(of: name), uses.onlyReader(of: name) == reader else { return nil }
    let operation = operations[maker]
    guard
      operation.type == "relu6"
        || operation.type == "clip" && number("alpha", operation) == 0 && number("beta", operation) == 6,
      let inner = operation.binding("x")?.name, let sum = uses.maker(of: inner), uses.onlyReader(of: inner) == maker,
      operations[sum].type == "add"
    else { return nil }
    for (one, other) in [("x", "y"), ("y", "x")] where number(other, operations[sum]) == 3 {
      return operations[sum].binding(one)?.name.map { ($0, [maker, sum]) }
    }
    return nil
  }

  /// Includes a preceding threshold: converters cut off below -3, where a hard swish is 0 or almost 0.
  private func withThreshold(_ found: Found, readers: Set<Int>, _ operations: [Operation]) -> Found {
    guard let cut = uses.maker(of: found.x), operations[cut].type == "thresholded_relu",
      let activation = FusedActivation(mil: operations[cut], constants).flatMap(found.activation.following),
      uses.isRead(found.x, by: readers), let x = operations[cut].binding("x")?.name
    else { return found }
    return Found(activation: activation, x: x, parts: found.parts.union([cut]))
  }

  /// The value and the constant that an operation multiplies it by.
  private func scaled(_ operation: Operation) -> (x: String, factor: Double)? {
    switch operation.type {
    case "real_div":
      guard let x = operation.binding("x")?.name, let divisor = number("y", operation), divisor != 0 else { return nil }
      return (x, 1 / divisor)
    case "mul":
      for (one, other) in [("x", "y"), ("y", "x")] {
        if let factor = number(other, operation), let x = operation.binding(one)?.name { return (x, factor) }
      }
      return nil
    default: return nil
    }
  }

  private func names(_ operation: Operation) -> (String, String)? {
    guard let x = operation.binding("x")?.name, let y = operation.binding("y")?.name else { return nil }
    return (x, y)
  }

  private func number(_ parameter: String, _ operation: Operation) -> Double? {
    guard let tensor = operation.value(parameter, constants)?.tensor, tensor.count == 1 else { return nil }
    return (try? tensor.doubles())?.first
  }
}
