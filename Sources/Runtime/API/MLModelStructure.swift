import Foundation
import MIL

/// What a model is made of.
///
/// Here every model is compiled to one program, in the ML program's operations: a neural network's layers and a pipeline's models are seen
/// as the operations they became, and `load` gives `.program`. The other cases are Core ML's.
public enum MLModelStructure: Sendable {
  case unsupported
  case neuralNetwork(NeuralNetwork)
  case program(Program)
  case pipeline(Pipeline)

  /// The structure of a compiled model.
  public static func load(contentsOf url: URL) async throws -> MLModelStructure {
    try await load(asset: MLModelAsset(url: url))
  }

  /// The structure of an asset's model.
  public static func load(asset: MLModelAsset) async throws -> MLModelStructure {
    try await offCaller {
      try MLModelError.wrapping(.generic) { .program(Program(try asset.model().program)) }
    }
  }

  public struct NeuralNetwork: Sendable {
    public let layers: [Layer]

    public struct Layer: Sendable {
      public let name: String
      public let type: String
      public let inputNames: [String]
      public let outputNames: [String]
    }
  }

  public struct Pipeline: Sendable {
    public let subModelNames: [String]
    public let subModels: [MLModelStructure]
  }

  /// A program in MIL, the language of ML programs.
  public struct Program: Sendable {
    public let functions: [String: Function]

    init(_ program: MIL.Program) { functions = program.functions.mapValues(Function.init) }

    public struct Function: Sendable {
      public let inputs: [NamedValueType]
      public let block: Block

      init(_ function: MIL.Function) {
        inputs = function.inputs.map(NamedValueType.init)
        block = Block(function.body)
      }
    }

    public struct Block: Sendable {
      public let inputs: [NamedValueType]
      public let outputNames: [String]
      public let operations: [Operation]

      init(_ block: MIL.Block) {
        inputs = block.inputs.map(NamedValueType.init)
        outputNames = block.outputs
        operations = block.operations.map(Operation.init)
      }
    }

    public struct Operation: Sendable {
      /// Such as `conv`.
      public let operatorName: String
      public let inputs: [String: Argument]
      public let outputs: [NamedValueType]
      public let blocks: [Block]

      init(_ operation: MIL.Operation) {
        operatorName = operation.type
        inputs = operation.inputs.mapValues { Argument(bindings: $0.map(Binding.init)) }
        outputs = operation.outputs.map(NamedValueType.init)
        blocks = operation.blocks.map(Block.init)
      }
    }

    /// What an argument is bound to: several values where the parameter takes a list.
    public struct Argument: Sendable {
      public let bindings: [Binding]
    }

    public enum Binding: Sendable {
      case name(String)
      case value(Value)

      init(_ binding: MIL.Binding) {
        switch binding {
        case .name(let name): self = .name(name)
        case .literal(let value): self = .value(Value(type: ValueType(description: "\(value.type)")))
        }
      }
    }

    /// A constant; its content is not shown.
    public struct Value: Sendable {
      public let type: ValueType
    }

    /// A type as MIL text writes it, such as `tensor<fp32, [1, 3]>`.
    public struct ValueType: Sendable, Hashable, CustomStringConvertible {
      public let description: String
    }

    public struct NamedValueType: Sendable, Hashable {
      public let name: String
      public let type: ValueType

      init(_ value: NamedType) {
        name = value.name
        type = ValueType(description: "\(value.type)")
      }
    }
  }
}
