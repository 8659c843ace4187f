import CoreMLBase
import MIL

/// Computes the gradient of a scalar that a function computes, by appending operations to the same function (reverse
/// mode).
///
/// The function must have concrete types. The forward pass writes the operations between the differentiated values and
/// the scalar again. Operations without a gradient rule are decomposed into operations that have one
/// (`GradientDefinition`). The backward pass then applies the rules from the last operation to the first. If a value is
/// read several times, it adds the gradients.
struct Differentiate {
  let emit: Emitter
  /// The bindings in the written program of the function's names.
  private(set) var values: [String: Binding]
  private var active: Set<String> = []
  private var tape: [Int] = []
  /// The first operation that reads a differentiated value and through whose outputs no gradient can flow.
  private var end: MIL.Operation?

  /// - Parameter values: the bindings of the function's inputs, and of results whose operations must not be written
  ///   again.
  init(_ emit: Emitter, values: [String: Binding]) {
    self.emit = emit
    self.values = values
  }

  /// Operations whose results are conditions or shapes and need no gradient.
  private static let conditions: Set<String> = [
    "equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
    "logical_not", "shape", "write_state",
  ]

  // MARK: forward

  /// Writes the operations. `sources` are the names in the written program that get gradients.
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

  /// Records the operations that were written since operation `start`.
  mutating func follow(from start: Int) {
    for index in start..<emit.builder.operations.count {
      let written = emit.builder.operations[index]
      guard written.inputNames.contains(where: { active.contains($0) }) else { continue }
      tape.append(index)
      // Integers and booleans are piecewise constant, so no gradient flows through them.
      let floats = written.outputs.filter { $0.type.tensor?.scalar.isFloat == true }
      if floats.isEmpty, !Self.conditions.contains(written.type), end == nil { end = written }
      active.formUnion(floats.map(\.name))
    }
  }

  // MARK: backward

  /// Returns the gradients of `number` with respect to names; nil for names on which it does not depend.
  ///
  /// - Parameter seed: the gradient of the number itself.
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
      .unknownOperation, "'\(operation.type)' has no gradient: the operations before it cannot be trained",
      operation: operation.label)
  }

  /// The arguments that get gradients.
  private func places(_ operation: MIL.Operation) -> Set<GradientCall.Place> {
    Set(
      operation.inputs.flatMap { parameter, bindings in
        bindings.indices.filter { index in bindings[index].name.map { active.contains($0) } ?? false }
          .map { GradientCall.Place(parameter: parameter, index: $0) }
      })
  }
}
