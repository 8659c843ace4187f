import CoreMLBase
import CoreMLSpec
import Foundation
import MIL

/// The contents of a model, counted as in `coremlc metadata`. Empty for a compiled model, as its operations differ from
/// those of its source.
struct ModelStatistics {
  private(set) var operations: [String: Int]?
  private(set) var layers: [String: Int]?
  /// Types of all values; nil if there are none.
  private(set) var computePrecision: String?
  /// Types of the weights that are stored in files; nil if there are none.
  private(set) var storagePrecision: String?

  init(_ file: ModelFile?) throws {
    switch try file?.model.type {
    case .mlProgram(let program): try count(program)
    case .neuralNetwork(let network): try count(network.layers)
    case .neuralNetworkClassifier(let network): try count(network.layers)
    case .neuralNetworkRegressor(let network): try count(network.layers)
    default: break
    }
  }

  // MARK: programs

  private mutating func count(_ program: MILSpec.Program) throws {
    var counter = OperationCounter()
    for (_, function) in try program.functionsInOrder {
      for (opset, block) in try function.blockSpecializationsInOrder {
        try counter.count(block, opset: opset, depth: 0)
      }
    }
    operations = counter.histogram
    computePrecision = Self.words(counter.computed)
    storagePrecision = Self.words(counter.stored)
  }

  private static func words(_ types: Set<String>) -> String? {
    let sorted = types.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    return sorted.count > 1 ? "Mixed (\(sorted.joined(separator: ", ")))" : sorted.first
  }

  // MARK: networks

  private mutating func count(_ layers: Views<Specification.NeuralNetworkLayer>) throws {
    var histogram: [String: Int] = [:]
    for layer in layers {
      try Cancellation.check()
      var name = try layer.layer.flatMap(OperationNames.member).map(Identifier.capitalized) ?? "Unknown"
      if case .activation(let activation)? = try layer.layer {
        name += try activation.nonlinearityType.flatMap(OperationNames.member).map(Identifier.capitalized) ?? ""
      }
      histogram[name, default: 0] += 1
    }
    self.layers = histogram
  }
}

/// Counts the operations of a program and collects the types of its values.
private struct OperationCounter {
  private(set) var histogram: [String: Int] = [:]
  private(set) var computed: Set<String> = []
  private(set) var stored: Set<String> = []

  mutating func count(_ block: MILSpec.Block, opset: String, depth: Int) throws {
    guard depth < Message.depthLimit else { return }
    for operation in try block.operations {
      try Cancellation.check()
      let type = try operation.type
      if type != "const" { histogram[OperationNames.counted(type, opset: opset), default: 0] += 1 }
      for output in try operation.outputs { if let type = try output.type { collect(try Self.name(type)) } }
      for (_, value) in try operation.attributesInOrder { try store(value) }
      for (_, argument) in try operation.inputsInOrder {
        for binding in try argument.arguments { if let value = try binding.value { try store(value) } }
      }
      for nested in try operation.blocks { try count(nested, opset: opset, depth: depth + 1) }
    }
  }

  private mutating func collect(_ type: String?) { if let type { computed.insert(type) } }

  private mutating func store(_ value: MILSpec.Value) throws {
    guard try value.blobFileValue != nil, let type = try value.type.flatMap(Self.name) else { return }
    stored.insert(type)
  }

  /// The element type of a tensor; nil for strings and booleans.
  private static func name(_ type: MILSpec.ValueType) throws -> String? {
    guard let tensor = try type.tensorType else { return nil }
    let type = try tensor.dataType
    switch type {
    case .unusedType, .bool, .string: return nil
    default:
      let name = Identifier.capitalized("\(type)")
      return name.hasPrefix("Uint") ? "UI\(name.dropFirst(2))" : name
    }
  }
}
