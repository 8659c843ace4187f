import MIL

extension Operation {
  /// Whether two operations differ at most in sizes and literals.
  func hasStructure(of other: Operation) -> Bool {
    type == other.type && outputs.count == other.outputs.count && inputs.count == other.inputs.count
      && origins == other.origins && blocks.isEmpty && other.blocks.isEmpty
      && zip(outputs, other.outputs).allSatisfy { $0.name == $1.name && $0.type.hasStructure(of: $1.type) }
      && inputs.allSatisfy { parameter, bindings in
        guard let others = other.inputs[parameter], others.count == bindings.count else { return false }
        return zip(bindings, others).allSatisfy { $0.hasStructure(of: $1) }
      }
  }

  /// Whether two operations of the same structure have the same types and literals.
  func isSame(as other: Operation) -> Bool {
    zip(outputs, other.outputs).allSatisfy { $0.type == $1.type }
      && inputs.allSatisfy { parameter, bindings in
        zip(bindings, other.inputs[parameter] ?? []).allSatisfy { $0.isSameLiteral(as: $1) }
      }
  }
}

extension ValueType {
  fileprivate func hasStructure(of other: ValueType) -> Bool {
    guard case .tensor(let a) = self, case .tensor(let b) = other else { return self == other }
    return a.scalar == b.scalar && a.shape.count == b.shape.count
      && zip(a.shape, b.shape).allSatisfy { $0.isKnown == $1.isKnown }
  }
}

extension Binding {
  fileprivate func hasStructure(of other: Binding) -> Bool {
    switch (self, other) {
    case (.name(let a), .name(let b)): a == b
    case (.literal(.tensor(let a)), .literal(.tensor(let b))): a.scalar == b.scalar
    case (.literal(let a), .literal(let b)): a.isSame(as: b)
    default: false
    }
  }

  fileprivate func isSameLiteral(as other: Binding) -> Bool {
    guard case .literal(let a) = self, case .literal(let b) = other else { return true }
    if case .tensor(let first) = a, case .tensor(let second) = b, first.storage === second.storage,
      first.shape == second.shape
    {
      return true
    }
    return a.isSame(as: b)
  }
}
