import MIL

/// The structure of a model: its imported program, without the contents of constants.
package struct StructureReport: Sendable, Encodable {
  package struct Function: Sendable, Encodable {
    let inputs: [Named]
    let block: Block
  }

  package struct Block: Sendable, Encodable {
    let inputs: [Named]
    let outputs: [String]
    let operations: [Operation]

    init(_ block: MIL.Block) {
      inputs = block.inputs.map(Named.init)
      outputs = block.outputs
      operations = block.operations.map(Operation.init)
    }
  }

  package struct Operation: Sendable, Encodable {
    /// The type, for example `conv`.
    let type: String
    /// The operations or layers of the model file that the operation comes from.
    let origins: [String]
    let inputs: [String: [Argument]]
    let outputs: [Named]
    let blocks: [Block]

    init(_ operation: MIL.Operation) {
      type = operation.type
      origins = operation.named
      inputs = operation.inputs.mapValues { $0.map(Argument.init) }
      outputs = operation.outputs.map(Named.init)
      blocks = operation.blocks.map(Block.init)
    }
  }

  /// The name of a value, or the type of a constant.
  package struct Argument: Sendable, Encodable {
    let name: String?
    let type: String?

    init(_ binding: Binding) {
      switch binding {
      case .name(let name): (self.name, type) = (name, nil)
      case .literal(let value): (name, type) = (nil, "\(value.type)")
      }
    }
  }

  package struct Named: Sendable, Encodable {
    let name: String
    let type: String

    init(_ value: NamedType) { (name, type) = (value.name, "\(value.type)") }
  }

  /// The model type, for example `mlProgram` or `neuralNetwork`.
  package let modelType: String
  package let functions: [String: Function]

  init(_ program: Program, modelType: String) {
    self.modelType = modelType
    functions = program.functions.mapValues { Function(inputs: $0.inputs.map(Named.init), block: Block($0.body)) }
  }
}
