import MIL

/// The names of all states that the blocks of an operation read and write, at any depth.
struct BlockStates {
  private(set) var read: Set<String> = []
  private(set) var written: Set<String> = []

  init(_ operation: Operation) { for block in operation.blocks { add(block) } }

  private mutating func add(_ block: Block) {
    for operation in block.operations {
      if let state = operation.stateName {
        if operation.type == "read_state" { read.insert(state) } else { written.insert(state) }
      }
      for block in operation.blocks { add(block) }
    }
  }
}

extension Function {
  /// The types of all states, by name.
  var stateTypes: [String: TensorType] {
    inputs.reduce(into: [:]) { types, input in if case .state(let type) = input.type { types[input.name] = type } }
  }
}

extension Operation {
  /// The name of the state that the operation itself reads or writes.
  var stateName: String? {
    guard Planner.stateOperations.contains(type), case .name(let name)? = inputs["input"]?.first else { return nil }
    return name
  }
}
