/// The producer and the readers of each name of a function, as queried by passes.
package struct Uses {
  private var makers: [String: Int] = [:]
  private var readers: [String: [Int]] = [:]
  private var isOutput: Set<String>
  /// Names that nested blocks capture. Passes do not rewrite them.
  private var captured: Set<String> = []

  package init(_ function: Function) {
    isOutput = Set(function.body.outputs)
    for (index, operation) in function.body.operations.enumerated() {
      for output in operation.outputs { makers[output.name] = index }
      for name in operation.inputNames { readers[name, default: []].append(index) }
      for block in operation.blocks { captured.formUnion(block.capturedNames) }
    }
  }

  package func maker(of name: String) -> Int? { makers[name] }

  /// The only operation that reads `name`. Nil if there are several readers, or if the name is an output or captured.
  package func onlyReader(of name: String) -> Int? {
    guard !isOutput.contains(name), !captured.contains(name), let all = readers[name], all.count == 1 else {
      return nil
    }
    return all[0]
  }

  /// All operations that read `name`, once per read. Empty if the name is an output or captured.
  package func allReaders(of name: String) -> [Int] { isPrivate(name) ? readers[name] ?? [] : [] }

  /// Whether exactly the operations in the set read `name`, and it is neither an output nor captured. The check stops
  /// at the first other reader, since a pass may call it for each of many readers of one value.
  package func isRead(_ name: String, by operations: Set<Int>) -> Bool {
    guard isPrivate(name), let all = readers[name], all.allSatisfy(operations.contains) else { return false }
    return operations.isSubset(of: all)
  }

  /// Whether `name` has readers, all of them in the set, and is neither an output nor captured.
  package func isRead(_ name: String, onlyWithin operations: Set<Int>) -> Bool {
    guard isPrivate(name), let all = readers[name] else { return false }
    return all.allSatisfy(operations.contains)
  }

  package func isPrivate(_ name: String) -> Bool { !isOutput.contains(name) && !captured.contains(name) }
}

extension Function {
  /// Literals of the function's `const` operations, by name.
  package var constants: [String: Value] {
    Dictionary(
      body.operations.compactMap { operation in
        guard let value = operation.constant, let name = operation.outputs.first?.name else { return nil }
        return (name, value)
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Names of constants: `const` operations, and `constexpr_*` operations whose operands are all constants.
  package var constantNames: Set<String> {
    var names: Set<String> = []
    for operation in body.operations where operation.constant != nil || operation.type.hasPrefix("constexpr_") {
      guard operation.inputNames.allSatisfy(names.contains) else { continue }
      for output in operation.outputs { names.insert(output.name) }
    }
    return names
  }

  /// The types of all names at the function's top level.
  package var types: [String: ValueType] {
    Dictionary(
      inputs.map { ($0.name, $0.type) } + body.operations.flatMap { $0.outputs.map { ($0.name, $0.type) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Replaces reads of names, including those in blocks and outputs.
  package mutating func rename(_ names: [String: String]) {
    guard !names.isEmpty else { return }
    body.rename(names)
  }
}

extension Block {
  fileprivate mutating func rename(_ names: [String: String]) {
    for index in operations.indices {
      for (parameter, bindings) in operations[index].inputs {
        operations[index].inputs[parameter] = bindings.map { binding in
          if case .name(let name) = binding, let new = names[name] { return .name(new) }
          return binding
        }
      }
      for block in operations[index].blocks.indices { operations[index].blocks[block].rename(names) }
    }
    outputs = outputs.map { names[$0] ?? $0 }
  }
}

extension Operation {
  /// The binding of a parameter, if it has exactly one.
  package func binding(_ parameter: String) -> Binding? {
    guard let all = inputs[parameter], all.count == 1 else { return nil }
    return all[0]
  }

  /// The known value of a parameter, given the function's constants.
  package func value(_ parameter: String, _ constants: [String: Value]) -> Value? {
    switch binding(parameter) {
    case .literal(let value): value
    case .name(let name): constants[name]
    case nil: nil
    }
  }
}
