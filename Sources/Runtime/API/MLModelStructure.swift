import Foundation
import MIL

/// The structure of a model file: the layers of a neural network, the operations of a program, or the models of a
/// pipeline.
public enum MLModelStructure: Sendable {
  /// A model of another kind, for example a tree ensemble or a support vector machine. It has no parts.
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
      /// The type of the layer, for example `convolution`.
      public let type: String
      /// The names of the layer's inputs.
      public let inputNames: [String]
      /// The names of the layer's outputs.
      public let outputNames: [String]
      /// The names of the layer in plans.
      let names: [String]
    }
  }

  /// A pipeline.
  public struct Pipeline: Sendable {
    /// The names of the models in the file, or their indices if they have none.
    public let subModelNames: [String]
    /// The models in the order of execution.
    public let subModels: [MLModelStructure]
  }

  /// A program in MIL, the intermediate language of ML programs.
  public struct Program: Sendable {
    /// The functions by name.
    public let functions: [String: Function]

    init(_ program: MIL.Program) { functions = program.functions.mapValues { Function($0) } }

    init(functions: [String: Function]) { self.functions = functions }

    /// A function of a program.
    public struct Function: Sendable {
      /// The inputs of the function.
      public let inputs: [NamedValueType]
      /// The operations of the function.
      public let block: Block

      init(inputs: [NamedValueType], block: Block) { (self.inputs, self.block) = (inputs, block) }

      init(_ function: MIL.Function) {
        inputs = function.inputs.map(NamedValueType.init)
        block = Block(function.body)
      }
    }

    /// A list of operations: the body of a function, a loop or a branch.
    public struct Block: Sendable {
      /// The inputs that the enclosing operation passes to the block.
      public let inputs: [NamedValueType]
      /// The names of the block's outputs.
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
      /// The operator, for example `conv`.
      public let operatorName: String
      /// The arguments, by parameter name.
      public let inputs: [String: Argument]
      /// The outputs.
      public let outputs: [NamedValueType]
      /// The blocks of a loop or a branch.
      public let blocks: [Block]
      /// The names of the operation in plans.
      let names: [String]

      init(_ operation: MIL.Operation) {
        operatorName = operation.type
        inputs = operation.inputs.mapValues { Argument(bindings: $0.map(Binding.init)) }
        outputs = operation.outputs.map(NamedValueType.init)
        blocks = operation.blocks.map(Block.init)
        names = operation.named
      }
    }

    /// The bindings of a parameter; several if the parameter takes a list.
    public struct Argument: Sendable {
      /// One binding, or one for each element of a list.
      public let bindings: [Binding]
    }

    /// A reference to a value, or a constant.
    public enum Binding: Sendable {
      /// The name of a value.
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

    /// A constant. Its contents are not exposed.
    public struct Value: Sendable {
      /// The type of the constant.
      public let type: ValueType
    }

    /// A type as MIL text writes it, such as `tensor<fp32, [1, 3]>`.
    public struct ValueType: Sendable, Hashable, CustomStringConvertible {
      /// The type in MIL syntax.
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
