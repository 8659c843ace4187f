import CoreMLBase
import MIL

/// Moves large constants out of loops and conditionals. Outside, they keep their stored form, and all plans of the
/// blocks and the interpreter share them.
struct HoistConstants: Pass {
  func callAsFunction(_ function: Function) throws -> Function {
    guard function.body.operations.contains(where: { !$0.blocks.isEmpty }) else { return function }
    var hoist = Hoist(names: FreshNames(function))
    var result = function
    result.body.operations = []
    for var operation in function.body.operations {
      operation.blocks = try operation.blocks.map { try hoist.block($0) }
      result.body.operations += hoist.taken
      result.body.operations.append(operation)
      hoist.taken = []
    }
    return result
  }
}

private struct Hoist {
  /// The meaning of a name inside a block. Names not listed belong to the function.
  enum Meaning: Sendable {
    case own
    case value(Value)
    case hoisted(String)
  }

  var names: FreshNames
  /// The names of the blocks that are being visited.
  private var known = NestedDictionary<String, Meaning>()
  /// Operations to insert before the one that contains the blocks.
  var taken: [Operation] = []

  /// The minimum number of elements of a large constant.
  private static let smallest = 1 << 14

  init(names: FreshNames) { self.names = names }

  mutating func block(_ block: Block) throws -> Block {
    known.enter()
    defer { known.leave() }
    for input in block.inputs { known[input.name] = .own }
    let results = Set(block.outputs)
    var operations: [Operation] = []
    for var operation in block.operations {
      try Cancellation.check()
      let isResult = operation.outputs.contains { results.contains($0.name) }
      if let value = operation.constant, let output = operation.outputs.first {
        if !isResult, let name = hoisted(value, output.name) {
          known[output.name] = .hoisted(name)
          continue
        }
        known[output.name] = .value(value)
        operations.append(operation)
        continue
      }
      if !isResult, let stored = stored(operation) {
        for (output, new) in zip(operation.outputs, stored.outputs) { known[output.name] = .hoisted(new.name) }
        taken.append(stored)
        continue
      }
      for (parameter, bindings) in operation.inputs.sorted(by: { $0.key < $1.key }) {
        operation.inputs[parameter] = bindings.map { binding in
          switch binding {
          case .literal(let value):
            return hoisted(value, "\(operation.outputs.first?.name ?? operation.type)_\(parameter)").map { .name($0) }
              ?? binding
          case .name(let name):
            if case .hoisted(let new)? = known[name] { return .name(new) }
            return binding
          }
        }
      }
      operation.blocks = try operation.blocks.map { try self.block($0) }
      for output in operation.outputs { known[output.name] = .own }
      operations.append(operation)
    }
    return Block(inputs: block.inputs, operations: operations, outputs: block.outputs)
  }

  private mutating func hoisted(_ value: Value, _ hint: String) -> String? {
    guard let tensor = value.tensor, tensor.scalar != .string, tensor.count >= Self.smallest else { return nil }
    let name = names.name(hint)
    taken.append(.const(name, value))
    return name
  }

  /// A compressed constant with its operands resolved; nil if the operation is not one.
  private mutating func stored(_ operation: Operation) -> Operation? {
    guard operation.isConstexpr, operation.blocks.isEmpty,
      operation.outputs.contains(where: { ($0.type.tensor?.elementCount ?? 0) >= Self.smallest })
    else { return nil }
    var result = operation
    for (parameter, bindings) in operation.inputs {
      for (index, binding) in bindings.enumerated() {
        guard case .name(let name) = binding, let meaning = known[name] else { continue }
        switch meaning {
        case .own: return nil
        case .value(let value): result.inputs[parameter]?[index] = .literal(value)
        case .hoisted(let new): result.inputs[parameter]?[index] = .name(new)
        }
      }
    }
    result.outputs = operation.outputs.map { NamedType(names.name($0.name), $0.type) }
    return result
  }
}
