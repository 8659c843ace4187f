import CoreMLBase
import CoreMLSpec
import MIL

/// Imports an `mlProgram`. The file's program is kept as it is, except that each operation is rewritten to the
/// semantics of the newest opset (`Opset`).
struct ProgramImport {
  let values: ProgramValues

  private static let maximumDepth = 64

  func program(_ message: MILSpec.Program) throws -> Program {
    var functions: [String: Function] = [:]
    for (name, function) in try message.functionsInOrder {
      functions[name] = try self.function(function, name)
    }
    guard !functions.isEmpty else { throw MILError(.invalidProgram, "the program has no function") }
    return Program(functions: functions)
  }

  private func function(_ message: MILSpec.Function, _ name: String) throws -> Function {
    let opset = try message.opset
    guard let version = Opset(rawValue: opset) else {
      throw MILError(
        .unsupported, "function '\(name)' is written for the opset '\(opset)', the newest known is CoreML9")
    }
    let blocks = try message.blockSpecializations
    guard let block = blocks[opset] else {
      throw MILError(.invalidProgram, "function '\(name)' has no block for its opset '\(opset)'")
    }
    return DeclaredRanks.corrected(
      try ExpandedAxes.kept(
        Function(
          inputs: try message.inputs.map { try named($0, "an input of '\(name)'") }, opset: opset,
          body: try self.block(block, version, depth: 0))))
  }

  private func named(_ message: MILSpec.NamedValueType, _ what: String) throws -> NamedType {
    let name = try message.name
    guard !name.isEmpty else { throw MILError(.invalidProgram, "\(what) has no name") }
    return NamedType(name, try values.type(message.type, "'\(name)'"))
  }

  /// An operation's output. Its declared type matters only if no type rule determines it; a type of unknown rank is
  /// left open.
  private func output(_ message: MILSpec.NamedValueType, _ what: String) throws -> NamedType {
    do { return try named(message, what) } catch let error as MILError where error.code == .unsupported {
      return NamedType(try message.name, .open)
    }
  }

  private func block(_ message: MILSpec.Block, _ opset: Opset, depth: Int) throws -> Block {
    guard depth < Self.maximumDepth else { throw MILError(.invalidProgram, "blocks are nested too deeply") }
    let operations = try message.operations
    try ModelBounds.requireMemory(operations: operations.count)
    return Block(
      inputs: try message.inputs.map { try named($0, "an input of a block") },
      operations: try operations.map { try operation($0, opset, depth: depth) }, outputs: try message.outputs)
  }

  private func operation(_ message: MILSpec.Operation, _ opset: Opset, depth: Int) throws -> Operation {
    try Cancellation.check()
    let outputs = try message.outputs.map { try output($0, "an output of a '\(try message.type)'") }
    var operation = Operation(try message.type, outputs: outputs)
    do {
      for (parameter, argument) in try message.inputsInOrder {
        operation.inputs[parameter] = try argument.arguments.map { try binding($0, parameter) }
      }
      for (name, value) in try message.attributesInOrder where name != "name" {
        operation.attributes[name] = try values.value(value, "the attribute '\(name)'")
      }
      operation.blocks = try message.blocks.map { try block($0, opset, depth: depth + 1) }
      try opset.normalise(&operation)
      return operation
    } catch let error as MILError {
      throw error.at(operation)
    }
  }

  private func binding(_ message: MILSpec.Argument.Binding, _ parameter: String) throws -> Binding {
    switch try message.binding {
    case .name(let name): return .name(name)
    case .value(let value): return .literal(try values.value(value, "the argument '\(parameter)'"))
    case nil: throw MILError(.invalidProgram, "the argument '\(parameter)' is bound to nothing")
    }
  }
}
