import Foundation
import MIL

/// What a model is made of, as its file has it: the layers of a neural network, the operations of a program, the models of a pipeline.
public enum MLModelStructure: Sendable {
  /// A model of another kind, such as trees or a support vector machine: it has no parts.
  case unsupported
  /// A neural network, layer by layer.
  case neuralNetwork(NeuralNetwork)
  /// An ML program, operation by operation.
  case program(Program)
  /// A pipeline, model by model.
  case pipeline(Pipeline)

  /// The structure of a compiled model.
  public static func load(contentsOf url: URL) async throws -> MLModelStructure {
    try await load(asset: MLModelAsset(url: url))
  }

  /// The structure of an asset's model.
  public static func load(asset: MLModelAsset) async throws -> MLModelStructure {
    try await offCaller {
      try MLModelError.wrapping(.generic) { MLModelStructure(try asset.model()) }
    }
  }

  /// A neural network.
  public struct NeuralNetwork: Sendable {
    /// The layers in the order of the file.
    public let layers: [Layer]

    /// One layer.
    public struct Layer: Sendable {
      /// The layer's name.
      public let name: String
      /// Such as `convolution`.
      public let type: String
      /// The values that the layer reads.
      public let inputNames: [String]
      /// The values that the layer gives.
      public let outputNames: [String]
      /// What plans name it by.
      let names: [String]
    }
  }

  /// A pipeline.
  public struct Pipeline: Sendable {
    /// The names of the models, as the file has them, or their places in it.
    public let subModelNames: [String]
    /// The models in the order in which they predict.
    public let subModels: [MLModelStructure]
  }

  /// A program in MIL, the language of ML programs.
  public struct Program: Sendable {
    /// The functions by name.
    public let functions: [String: Function]

    init(_ program: MIL.Program) { functions = program.functions.mapValues { Function($0) } }

    init(functions: [String: Function]) { self.functions = functions }

    /// A function of a program.
    public struct Function: Sendable {
      /// What it is given.
      public let inputs: [NamedValueType]
      /// What it does.
      public let block: Block

      init(inputs: [NamedValueType], block: Block) { (self.inputs, self.block) = (inputs, block) }

      init(_ function: MIL.Function) {
        inputs = function.inputs.map(NamedValueType.init)
        block = Block(function.body)
      }
    }

    /// Operations that belong together: a function's, or those of a loop or a branch.
    public struct Block: Sendable {
      /// What it is given by the operation around it.
      public let inputs: [NamedValueType]
      /// The values that it gives.
      public let outputNames: [String]
      /// The operations in order.
      public let operations: [Operation]

      init(_ block: MIL.Block) {
        inputs = block.inputs.map(NamedValueType.init)
        outputNames = block.outputs
        operations = block.operations.map(Operation.init)
      }
    }

    /// One operation.
    public struct Operation: Sendable {
      /// Such as `conv`.
      public let operatorName: String
      /// What it reads, by parameter.
      public let inputs: [String: Argument]
      /// What it gives.
      public let outputs: [NamedValueType]
      /// The blocks of a loop or a branch.
      public let blocks: [Block]
      /// What plans name it by.
      let names: [String]

      init(_ operation: MIL.Operation) {
        operatorName = operation.type
        inputs = operation.inputs.mapValues { Argument(bindings: $0.map(Binding.init)) }
        outputs = operation.outputs.map(NamedValueType.init)
        blocks = operation.blocks.map(Block.init)
        names = operation.named
      }
    }

    /// What an argument is bound to: several values where the parameter takes a list.
    public struct Argument: Sendable {
      /// One, or the values of a list.
      public let bindings: [Binding]
    }

    /// What an argument is.
    public enum Binding: Sendable {
      /// The value of this name.
      case name(String)
      /// A constant.
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
      /// The type of the constant.
      public let type: ValueType
    }

    /// A type as MIL text writes it, such as `tensor<fp32, [1, 3]>`.
    public struct ValueType: Sendable, Hashable, CustomStringConvertible {
      /// The type in MIL's words.
      public let description: String
    }

    /// A value's name and type.
    public struct NamedValueType: Sendable, Hashable {
      /// The name.
      public let name: String
      /// The type.
      public let type: ValueType

      init(_ value: NamedType) {
        name = value.name
        type = ValueType(description: "\(value.type)")
      }
    }
  }
}
