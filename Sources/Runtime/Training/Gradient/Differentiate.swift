import CoreMLBase
import MIL

/// The gradient of a number that a function computes, as more operations of the same function (reverse mode).
///
/// The function must have concrete types. Operations that lie between what is differentiated and the number are written again, those that
/// have no rule of their own in the form that has (`GradientDefinition`); then their rules run from the last to the first, and gradients of a value
/// that is read several times are added.
struct Differentiate {
  let emit: Emitter
  /// Names of the function and what they are in the program that is written.
  private(set) var values: [String: Binding]
  private var active: Set<String> = []
  private var tape: [Int] = []
  /// The first operation that reads what gradients go to and gives nothing that they could come back from.
  private var end: MIL.Operation?

  /// - Parameter values: what the function's inputs are, and what is in the place of its operations' results where those are not to be
  ///   written again.
  init(_ emit: Emitter, values: [String: Binding]) {
    self.emit = emit
    self.values = values
  }

  /// Operations whose results are conditions, not numbers on the way.
  private static let conditions: Set<String> = [
    "equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
    "logical_not", "shape", "write_state",
  ]

  // MARK: forward

  /// Writes the operations. Gradients go to the names in `sources`, of the program that is written.
  mutating func forward(_ operations: [MIL.Operation], sources: Set<String>) throws {
    active.formUnion(sources)
    for operation in operations {
      try Cancellation.check()
      if let value = operation.constant, let output = operation.outputs.first {
        values[output.name] = values[output.name] ?? .literal(value)
        continue
      }
      guard operation.outputs.contains(where: { values[$0.name] == nil }) else { continue }
      var own = operation
      own.inputs = try operation.inputs.mapValues { try $0.map(value) }
      for block in own.blocks where !block.capturedNames.isEmpty {
        throw MILError(
          .invalidProgram, "blocks of operations cannot be trained through", operation: operation.label)
      }
      let results = try write(own)
      for (output, result) in zip(operation.outputs, results) where values[output.name] == nil {
        values[output.name] = result
      }
    }
  }

  private func value(_ binding: Binding) throws -> Binding {
    guard case .name(let name) = binding else { return binding }
    guard let value = values[name] else { throw MILError(.invalidProgram, "'\(name)' is not defined") }
    return value
  }

  private mutating func write(_ operation: MIL.Operation) throws -> [Binding] {
    emit.hint = operation.outputs.first?.name ?? operation.type
    let isActive = operation.inputNames.contains { active.contains($0) }
    let start = emit.builder.operations.count
    let results: [Binding]
    if isActive, let form = Gradients.forms[operation.type] {
      let invocation = try emit.invocation(operation)
      results = try invocation.located {
        try form.write(FormCall(emit: emit, operation: operation, invocation: invocation))
      }
    } else {
      results = try emit.all(operation.type, operation.inputs, named: operation.outputs.map(\.name))
    }
    follow(from: start)
    return results
  }

  /// Takes over what was written since operation `start`.
  mutating func follow(from start: Int) {
    for index in start..<emit.builder.operations.count {
      let written = emit.builder.operations[index]
      guard written.inputNames.contains(where: { active.contains($0) }) else { continue }
      tape.append(index)
      // Integers and booleans change in steps: nothing flows back through them.
      let floats = written.outputs.filter { $0.type.tensor?.scalar.isFloat == true }
      if floats.isEmpty, !Self.conditions.contains(written.type), end == nil { end = written }
      active.formUnion(floats.map(\.name))
    }
  }

  // MARK: backward

  /// The gradients of `number` with respect to names: nil for those that it does not depend on. `seed` is the gradient of the number
  /// itself.
  func backward(from number: Binding, seed: Binding, to wanted: [String]) throws -> [Binding?] {
    guard case .name(let last) = number else { return wanted.map { _ in nil } }
    var gradients: [String: Binding] = [last: seed]
    let operations = emit.builder.operations
    for index in tape.reversed() {
      try Cancellation.check()
      let operation = operations[index]
      let own = operation.outputs.map { gradients[$0.name] }
      guard own.contains(where: { $0 != nil }) else { continue }
      guard let rule = Gradients.rules[operation.type] else {
        throw Self.refusal(operation)
      }
      emit.hint = (operation.outputs.first?.name ?? operation.type) + "_gradient"
      let call = try GradientCall(
        operation, gradients: own, wanted: places(operation), emit)
      try call.invocation.located { try rule.apply(call) }
      for (place, value) in call.given.sorted(by: {
        ($0.key.parameter, $0.key.index) < ($1.key.parameter, $1.key.index)
      }) {
        guard case .name(let name)? = operation.inputs[place.parameter]?[place.index] else { continue }
        gradients[name] = try gradients[name].map { try emit.add($0, value) } ?? value
      }
    }
    if let end, wanted.allSatisfy({ gradients[$0] == nil }) { throw Self.refusal(end) }
    return wanted.map { gradients[$0] }
  }

  private static func refusal(_ operation: MIL.Operation) -> MILError {
    MILError(
      .unknownOperation, "'\(operation.type)' has no gradient: what stands before it cannot be trained",
      operation: operation.label)
  }

  /// The arguments that gradients go to.
  private func places(_ operation: MIL.Operation) -> Set<GradientCall.Place> {
    Set(
      operation.inputs.flatMap { parameter, bindings in
        bindings.indices.filter { index in bindings[index].name.map { active.contains($0) } ?? false }
          .map { GradientCall.Place(parameter: parameter, index: $0) }
      })
  }
}
