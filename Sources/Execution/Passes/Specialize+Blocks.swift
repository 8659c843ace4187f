import MIL

/// Result types of loops and conditionals for which the file leaves sizes open. Their blocks are visited with the
/// actual input types.
extension Specialize {
  /// Deeper blocks keep their declared types.
  private static let maximumDepth = 6
  /// Bytes of constants that visiting a block may fold.
  private static let blockLimit = 1 << 20
  /// Visits to the body of a loop. One suffices if an iteration does not change the types; the second handles loops
  /// where some sizes change. Nested loops get one visit only, or the number of visits would grow exponentially.
  private static let walks = 2

  /// The types of an operation's outputs. `declared` has the types by its rule, which come from the declarations in the
  /// blocks.
  func types(
    ofBlocksOf operation: Operation, declared: [ValueType], _ scope: inout Scope, _ stored: inout StoredConstants
  ) throws -> [ValueType] {
    guard operation.blocks.count == 2, depth < Self.maximumDepth, declared.contains(where: \.hasUnknownSize) else {
      return declared
    }
    do {
      let found =
        operation.type == "while_loop"
        ? try loop(operation, &scope, &stored) : try branches(operation, &scope, &stored)
      guard let found, found.count == declared.count else { return declared }
      // For lists, use the type from the rule.
      return zip(declared, found).map { rule, found in
        guard let type = found.tensor, rule.isOpen || rule.tensor?.scalar == type.scalar else { return rule }
        return found
      }
    } catch {
      // A block that may never run need not be valid.
      guard !error.isOfBounds else { throw error }
      return declared
    }
  }

  /// The types that a loop's variables have in all iterations; nil if not known.
  private func loop(
    _ operation: Operation, _ scope: inout Scope, _ stored: inout StoredConstants
  ) throws -> [ValueType]? {
    let body = operation.blocks[1]
    let variables = operation.inputs["loop_vars"] ?? []
    let invocation = try scope.invocation(of: operation)
    var assumed = (invocation.inputTypes["loop_vars"] ?? []).map(\.withAnyLength)
    guard assumed.count == body.inputs.count, assumed.count == body.outputs.count else { return nil }
    let values = variables.indices.map { index in
      // A variable that no iteration changes keeps its initial value.
      body.outputs[index] == body.inputs[index].name ? invocation.valueIfKnown("loop_vars", index) : nil
    }
    for _ in 0..<(depth == 0 ? Self.walks : 1) {
      let given = try types(of: body, assumed, values, &scope, &stored).map(\.withAnyLength)
      let joined = zip(assumed, given).map { $0.joined(with: $1) }
      guard joined.allSatisfy({ $0 != nil }) else { return nil }
      if joined == assumed { return assumed }
      assumed = joined.compactMap { $0 }
    }
    return nil
  }

  private func branches(
    _ operation: Operation, _ scope: inout Scope, _ stored: inout StoredConstants
  ) throws -> [ValueType]? {
    let first = try types(of: operation.blocks[0], [], [], &scope, &stored)
    let second = try types(of: operation.blocks[1], [], [], &scope, &stored)
    guard first.count == second.count else { return nil }
    let joined = zip(first, second).compactMap { $0.joined(with: $1) }
    return joined.count == first.count ? joined : nil
  }

  /// The result types of a block for the given input types and values.
  private func types(
    of block: Block, _ inputs: [ValueType], _ values: [Value?], _ scope: inout Scope, _ stored: inout StoredConstants
  ) throws -> [ValueType] {
    scope.enter()
    stored.enter()
    defer {
      scope.leave()
      stored.leave()
    }
    for (index, input) in block.inputs.enumerated() where inputs.indices.contains(index) {
      scope.define(input.name, inputs[index], value: values[index])
    }
    var inner = self
    inner.depth += 1
    try inner.walk(block.operations, &scope, &stored, budget: Self.blockLimit)
    return try block.outputs.map { name in
      guard let type = scope.types[name] else {
        throw MILError(.invalidProgram, "a block gives '\(name)', which is not defined")
      }
      return type
    }
  }
}

extension ValueType {
  fileprivate var hasUnknownSize: Bool { tensor.map { !$0.isConcrete } ?? isOpen }

  /// A list with unknown length; other types are unchanged.
  fileprivate var withAnyLength: ValueType {
    guard case .list(let element, _) = self else { return self }
    return .list(element, length: .unknown)
  }

  /// A type that covers both types: sizes that differ become unknown. Nil if more than sizes differ.
  fileprivate func joined(with other: ValueType) -> ValueType? {
    guard self != other else { return self }
    guard let a = tensor, let b = other.tensor, a.scalar == b.scalar, a.rank == b.rank else { return nil }
    return .tensor(TensorType(a.scalar, zip(a.shape, b.shape).map { $0 == $1 ? $0 : .unknown }))
  }
}
