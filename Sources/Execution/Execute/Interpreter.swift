import CoreMLBase
import CoreMLKernels
import MIL

/// Runs operations whose types are only known at run time, one at a time, on separately allocated values. These are
/// control flow, lists, and operations that follow a data-dependent shape.
package struct Interpreter {
  let pool: ThreadPool
  let states: StateBuffers

  /// Operations that no kernel computes. The interpreter runs their blocks.
  package static let controlFlow: Set<String> = ["cond", "while_loop"]

  /// A loop with more iterations counts as endless.
  static let maximumIterations = 1 << 24

  /// Computes an operation from its arguments. `names` has the captured values of its blocks.
  func evaluate(_ operation: Operation, _ arguments: [String: [Value]], _ names: [String: Value]) throws -> [Value] {
    switch operation.type {
    case "cond": return try cond(operation, arguments, names)
    case "while_loop": return try loop(operation, arguments, names)
    default:
      let invocation = Invocation(
        operation: operation, inputTypes: arguments.mapValues { $0.map(\.type) }, values: arguments.mapValues { $0 })
      return try KernelRegistry.evaluate(invocation, pool: pool, constancy: .literals)
    }
  }

  func run(_ block: Block, inputs: [Value], _ outer: [String: Value]) throws -> [Value] {
    var names = outer
    for (input, value) in zip(block.inputs, inputs) { names[input.name] = value }
    for operation in block.operations {
      try Cancellation.check()
      if let value = operation.constant, let output = operation.outputs.first {
        names[output.name] = value
        continue
      }
      if let state = operation.stateName {
        if let value = try access(state, operation, names), let output = operation.outputs.first {
          names[output.name] = value
        }
        continue
      }
      var arguments: [String: [Value]] = [:]
      for (parameter, bindings) in operation.inputs {
        arguments[parameter] = try bindings.map { try value(of: $0, names, operation) }
      }
      let results = try evaluate(operation, arguments, names)
      for (output, value) in zip(operation.outputs, results) { names[output.name] = value }
    }
    return try block.outputs.map { name in
      guard let value = names[name] else {
        throw MILError(.invalidProgram, "a block gives '\(name)', which it does not define")
      }
      return value
    }
  }

  /// Reads or writes a state. A read returns a copy, since the state's memory may be overwritten while the value is
  /// still in use.
  private func access(_ state: String, _ operation: Operation, _ names: [String: Value]) throws -> Value? {
    guard operation.type == "write_state" else { return try Value.tensor(states.read(state)).detached() }
    guard let data = try operation.inputs["data"]?.first.flatMap({ try value(of: $0, names, operation) })?.tensor else {
      throw MILError(.invalidArgument, "there is nothing to write", operation: operation.label)
    }
    try states.write(state, from: data)
    return nil
  }

  private func value(of binding: Binding, _ names: [String: Value], _ operation: Operation) throws -> Value {
    switch binding {
    case .literal(let value): return value
    case .name(let name):
      guard let value = names[name] else {
        throw MILError(.invalidProgram, "it reads '\(name)', which is not defined", operation: operation.label)
      }
      return value
    }
  }

  private func cond(_ operation: Operation, _ arguments: [String: [Value]], _ names: [String: Value]) throws -> [Value]
  {
    guard operation.blocks.count == 2 else {
      throw MILError(.invalidProgram, "it needs a true and a false block", operation: operation.label)
    }
    let isTrue = try truth(arguments["pred"]?.first, operation)
    return try run(operation.blocks[isTrue ? 0 : 1], inputs: [], names)
  }

  private func loop(_ operation: Operation, _ arguments: [String: [Value]], _ names: [String: Value]) throws -> [Value]
  {
    guard operation.blocks.count == 2 else {
      throw MILError(.invalidProgram, "it needs a condition and a body block", operation: operation.label)
    }
    var variables = arguments["loop_vars"] ?? []
    for _ in 0..<Self.maximumIterations {
      // Check here too, since both blocks may be empty.
      try Cancellation.check()
      let isTrue = try truth(run(operation.blocks[0], inputs: variables, names).first, operation)
      guard isTrue else { return variables }
      variables = try run(operation.blocks[1], inputs: variables, names)
    }
    throw RuntimeError(
      .evaluation, "\(operation.label): the loop did not end after \(Self.maximumIterations) iterations")
  }

  func truth(_ value: Value?, _ operation: Operation) throws -> Bool {
    guard let tensor = value?.tensor, tensor.count == 1, let first = try tensor.doubles().first else {
      throw MILError(.invalidType, "its condition is not one boolean", operation: operation.label)
    }
    return first != 0
  }
}
