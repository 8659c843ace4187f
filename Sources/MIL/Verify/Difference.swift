extension Program {
  /// Whether two programs are equal: the same functions, operations, names and types, and bitwise equal literals (all
  /// NaNs are equal). The positions of weights in a file do not matter.
  package func isSame(as other: Program) -> Bool { difference(from: other) == nil }

  /// The first difference between two programs as a sentence; nil if they are equal.
  package func difference(from other: Program) -> String? {
    if let key = functions.firstDifference(other.functions, { $0.difference(from: $1) }) { return "function '\(key)" }
    return attributes.difference(from: other.attributes).map {
      "program attribute '\($0)"
    }
  }
}

extension Function {
  func difference(from other: Function) -> String? {
    if inputs != other.inputs { return "takes \(inputs) and \(other.inputs)" }
    if opset != other.opset { return "is of the opsets \(opset) and \(other.opset)" }
    if let key = attributes.difference(from: other.attributes) {
      return "attribute '\(key)"
    }
    return body.difference(from: other.body)
  }
}

extension Block {
  func difference(from other: Block) -> String? {
    if inputs != other.inputs { return "a block takes \(inputs) and \(other.inputs)" }
    if outputs != other.outputs { return "a block gives \(outputs) and \(other.outputs)" }
    for (first, second) in zip(operations, other.operations) {
      if let difference = first.difference(from: second) { return "\(first.label): \(difference)" }
    }
    return operations.count == other.operations.count
      ? nil : "a block has \(operations.count) and \(other.operations.count) operations"
  }
}

extension Operation {
  func difference(from other: Operation) -> String? {
    if type != other.type { return "is a '\(type)' and a '\(other.type)'" }
    if outputs != other.outputs { return "gives \(outputs) and \(other.outputs)" }
    if origins != other.origins { return "stands for \(origins) and \(other.origins)" }
    let inputs = self.inputs.firstDifference(other.inputs) { first, second in
      first.count == second.count && zip(first, second).allSatisfy { $0.isSame(as: $1) } ? nil : "differs"
    }
    if let inputs { return "argument '\(inputs)" }
    if let key = attributes.difference(from: other.attributes) {
      return "attribute '\(key)"
    }
    if blocks.count != other.blocks.count { return "has \(blocks.count) and \(other.blocks.count) blocks" }
    for (first, second) in zip(blocks, other.blocks) {
      if let difference = first.difference(from: second) { return difference }
    }
    return nil
  }
}

extension Binding {
  func isSame(as other: Binding) -> Bool {
    switch (self, other) {
    case (.name(let a), .name(let b)): a == b
    case (.literal(let a), .literal(let b)): a.isSame(as: b)
    default: false
    }
  }
}

extension Value {
  /// Whether two values have the same type and bitwise equal elements. All NaNs are equal, and padding bits after
  /// sub-byte elements are ignored.
  package func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.tensor(let a), .tensor(let b)): return a.isSame(as: b)
    case (.list(let a, let element), .list(let b, let otherElement)):
      return element == otherElement && a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.tuple(let a), .tuple(let b)): return a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
    case (.dictionary(let a, let key, let value), .dictionary(let b, let otherKey, let otherValue)):
      return key == otherKey && value == otherValue && a.count == b.count
        && zip(a, b).allSatisfy { $0.key.isSame(as: $1.key) && $0.value.isSame(as: $1.value) }
    default: return false
    }
  }
}

extension Tensor {
  func isSame(as other: Tensor) -> Bool {
    guard scalar == other.scalar, shape == other.shape else { return false }
    if scalar == .string { return storage.strings == other.storage.strings }
    if withUnsafeBytes({ bytes in other.withUnsafeBytes { bytes.elementsEqual($0) } }) { return true }
    guard scalar.isFloat || scalar.bitWidth < 8, let a = try? doubles(), let b = try? other.doubles() else {
      return false
    }
    return zip(a, b).allSatisfy { $0.bitPattern == $1.bitPattern || ($0.isNaN && $1.isNaN) }
  }
}

extension [String: Value] {
  fileprivate func difference(from other: [String: Value]) -> String? {
    firstDifference(other) { $0.isSame(as: $1) ? nil : "differs" }
  }
}

extension Dictionary where Key == String {
  /// The smallest key that only one side has, or whose values differ, with the difference: `key': differs`.
  fileprivate func firstDifference(_ other: Self, _ compare: (Value, Value) -> String?) -> String? {
    for key in Set(keys).union(other.keys).sorted() {
      guard let first = self[key], let second = other[key] else { return "\(key)' is only in one of the two" }
      if let difference = compare(first, second) { return "\(key)': \(difference)" }
    }
    return nil
  }
}
