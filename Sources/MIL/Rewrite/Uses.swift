/// The producer and the readers of each name of a function, as queried by passes.
package struct Uses {
  private var makers: [String: Int] = [:]
  private var readers: [String: [Int]] = [:]
  private var isOutput: Set<String>
  /// Names that nested blocks capture. Passes do not rewrite them.
  private var captured: Set<String> = []

  package init(_ function: Function) { self = function.index.uses { Uses(of: function) } }

  private init(of function: Function) {
    isOutput = Set(function.body.outputs)
    makers.reserveCapacity(function.body.operations.count)
    readers.reserveCapacity(function.body.operations.count)
    for (index, operation) in function.body.operations.enumerated() {
      for output in operation.outputs { makers[output.name] = index }
      for bindings in operation.inputs.values {
        for case .name(let name) in bindings { readers[name, default: []].append(index) }
      }
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

  /// All operations that read `name` themselves, once per read, even if it is an output.
  package func readers(of name: String) -> [Int] { readers[name] ?? [] }

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
    index.constants {
      Dictionary(
        body.operations.compactMap { operation in
          guard let value = operation.constant, let name = operation.outputs.first?.name else { return nil }
          return (name, value)
        }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// Names of constants: `const` operations, and `constexpr_*` operations whose operands are all constants.
  package var constantNames: Set<String> {
    index.constantNames {
      var names: Set<String> = []
      for operation in body.operations where operation.isConst && operation.constant != nil || operation.isConstexpr {
        guard operation.isConst || operation.inputNames.allSatisfy(names.contains) else { continue }
        for output in operation.outputs { names.insert(output.name) }
      }
      return names
    }
  }

  /// The types of all names at the function's top level.
  package var types: [String: ValueType] {
    index.types {
      var types: [String: ValueType] = [:]
      types.reserveCapacity(inputs.count + body.operations.count)
      for input in inputs where types[input.name] == nil { types[input.name] = input.type }
      for operation in body.operations {
        for output in operation.outputs where types[output.name] == nil { types[output.name] = output.type }
      }
      return types
    }
  }

  /// Finds all that passes ask of the names, for versions of the function that `with(inputs:operations:)` makes.
  package func findNames() {
    _ = (Uses(self), constants, constantNames, types, FreshNames(self), contains("const"))
  }

  /// Whether an operation of this type is at the function's top level. Passes ask it before they look for a pattern.
  package func contains(_ type: String) -> Bool {
    index.operationTypes { Set(body.operations.map(\.type)) }.contains(type)
  }

  /// Removes operations by their position. Without any, the function keeps its index.
  package mutating func remove(_ dropped: Set<Int>) {
    guard !dropped.isEmpty else { return }
    var kept: [Operation] = []
    kept.reserveCapacity(body.operations.count)
    for (position, operation) in body.operations.enumerated() where !dropped.contains(position) {
      kept.append(operation)
    }
    body.operations = kept
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
