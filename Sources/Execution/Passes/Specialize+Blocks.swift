import MIL

/// What loops and branches give, where the file leaves sizes open: their blocks are walked with the types that they meet.
extension Specialize {
  /// Blocks deeper than this keep the types that are declared.
  private static let maximumDepth = 6
  /// Constants that walking a block may fold, in bytes.
  private static let blockLimit = 1 << 20
  /// Walks of the body of a loop: one where a round leaves the types as they are, another where some sizes change and others do not.
  /// Within a block there is only the first, or the walks of nested loops would multiply.
  private static let walks = 2

  /// The types of an operation's outputs; `declared` are those by its rule, which a loop or a branch has from its blocks' declarations.
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
      // Of a list nothing more is known than the rule says.
      return zip(declared, found).map { rule, found in
        guard let type = found.tensor, rule.isOpen || rule.tensor?.scalar == type.scalar else { return rule }
        return found
      }
    } catch {
      // A block that may never run does not have to be right.
      guard !error.isOfBounds else { throw error }
      return declared
    }
  }

  /// The types that a loop's variables keep through all rounds; nil where that is not known.
  private func loop(
    _ operation: Operation, _ scope: inout Scope, _ stored: inout StoredConstants
  ) throws -> [ValueType]? {
    let body = operation.blocks[1]
    let variables = operation.inputs["loop_vars"] ?? []
    let invocation = try scope.invocation(of: operation)
    var assumed = (invocation.inputTypes["loop_vars"] ?? []).map(\.withAnyLength)
    guard assumed.count == body.inputs.count, assumed.count == body.outputs.count else { return nil }
    let values = variables.indices.map { index in
      // What every round hands on is what it was before the first.
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

  /// What a block gives for inputs of these types and values.
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

  /// A list of any length; other types as they are.
  fileprivate var withAnyLength: ValueType {
    guard case .list(let element, _) = self else { return self }
    return .list(element, length: .unknown)
  }

  /// The type of what is of one of two types: sizes that differ are unknown; nil where they have more than sizes apart.
  fileprivate func joined(with other: ValueType) -> ValueType? {
    guard self != other else { return self }
    guard let a = tensor, let b = other.tensor, a.scalar == b.scalar, a.rank == b.rank else { return nil }
    return .tensor(TensorType(a.scalar, zip(a.shape, b.shape).map { $0 == $1 ? $0 : .unknown }))
  }
}
