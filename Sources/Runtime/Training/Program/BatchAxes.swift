import MIL

/// Determines whether a function written for one example can compute several at once. Each value then has a batch axis,
/// and no element depends on another example. An operation without a rule is assumed to mix examples.
struct BatchAxes {
  private let count: Int
  /// The batch axis of each value that has one.
  private var axes: [String: Int]
  private var scope = Scope()

  /// - Parameters:
  ///   - function: specialized to inputs of `count` examples each.
  ///   - axes: the batch axis of each input that has one.
  /// - Returns: the batch axis of the function's first output; nil if examples may mix.
  static func output(of function: Function, axes: [String: Int], count: Int) -> Int? {
    var walk = BatchAxes(count: count, axes: axes)
    for input in function.inputs { walk.scope.define(input.name, input.type) }
    for operation in function.body.operations {
      guard (try? walk.visit(operation)) == true else { return nil }
    }
    return function.body.outputs.first.flatMap { walk.axes[$0] }
  }

  private init(count: Int, axes: [String: Int]) {
    self.count = count
    self.axes = axes
  }

  /// The batch axis of an operation's outputs; nil if examples may mix.
  private func axis(of operation: Operation) throws -> Int? {
    guard operation.blocks.isEmpty, try Operations.definition(of: operation).isPure,
      let rule = Self.rules[operation.type]
    else { return nil }
    var axes: [String: Int] = [:]
    for name in operation.inputNames { axes[name] = self.axes[name] }
    return try rule(BatchedOperation(call: scope.invocation(of: operation), axes: axes, outputs: operation.outputs))
  }

  /// Visits an operation. Returns false if examples may mix.
  private mutating func visit(_ operation: Operation) throws -> Bool {
    if let value = operation.constant, let output = operation.outputs.first {
      scope.define(output.name, value.type, value: value)
      return true
    }
    defer { for output in operation.outputs { scope.define(output.name, output.type) } }
    guard operation.inputNames.contains(where: { axes[$0] != nil }) else { return true }
    guard let axis = try axis(of: operation) else { return false }
    for (index, output) in operation.outputs.enumerated() {
      let axis = index > 0 && Self.recurrent.contains(operation.type) ? 0 : axis
      // The batch axis must have the size of the batch. This check protects against an incorrect rule.
      guard let shape = output.type.tensor?.concreteShape, shape.indices.contains(axis), shape[axis] == count else {
        return false
      }
      axes[output.name] = axis
    }
    return true
  }
}

/// An operation with at least one batched argument.
struct BatchedOperation {
  let call: Invocation
  let axes: [String: Int]
  let outputs: [NamedType]

  /// The batch axis of an argument; nil if it has none.
  func axis(_ parameter: String, _ index: Int = 0) -> Int? {
    guard let all = call.operation.inputs[parameter], all.indices.contains(index), let name = all[index].name else {
      return nil
    }
    return axes[name]
  }

  func rank(_ parameter: String, _ index: Int = 0) throws -> Int { try call.tensor(parameter, index).rank }
  var outputRank: Int { outputs.first?.type.tensor?.rank ?? 0 }
  var outputShape: [Int] { outputs.first?.type.tensor?.concreteShape ?? [] }

  /// Whether no other argument than these is batched.
  func only(_ parameters: String...) -> Bool {
    call.operation.inputs.allSatisfy { parameter, bindings in
      parameters.contains(parameter) || !bindings.contains { $0.name.map { axes[$0] != nil } ?? false }
    }
  }
}
