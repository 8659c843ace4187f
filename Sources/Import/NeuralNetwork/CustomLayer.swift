import CoreMLBase
import CoreMLSpec
import MIL

/// Layers that the application implements.
extension NetworkImport {
  mutating func custom(_ message: Specification.CustomLayerParams) throws {
    var arguments: [String: [Binding]] = [
      "class_name": [.string(try message.className)], "layer": [.string(layer.name)],
    ]
    if !layer.inputs.isEmpty {
      arguments["values"] = try layer.inputs.indices.map { .name(try asFloat(input($0))) }
    }
    let weights = try message.weights.map { try stored($0) }
    if !weights.isEmpty { arguments["weights"] = weights.map { .tensor($0) } }
    do { try CustomParameters(message.parameters).add(to: &arguments) } catch let error as RuntimeError {
      throw self.error(error.code, error.message)
    }
    let types = try layer.outputs.indices.map { index in
      let dimensions = Array(repeating: Dimension.unknown, count: try outputRank(index))
      return ValueType.tensor(try TensorType(.float32, dimensions).validated("the output '\(layer.outputs[index])'"))
    }
    let names = try builder.add(
      "nn.custom", arguments, named: layer.outputs, dynamic: types)
    for (index, name) in names.enumerated() { try set(index, name) }
  }

  /// The rank of an output, which only the class knows. It is the rank in the file. Without one, the rank of the output
  /// feature. Otherwise the rank that coremltools assumes (NeuralNetworkBuilder: "Generic Layer copies rank of first
  /// input to all of its output").
  private mutating func outputRank(_ index: Int) throws -> Int {
    if layer.outputRanks.indices.contains(index), layer.outputRanks[index] > 0 {
      let rank = layer.outputRanks[index]
      guard rank <= Self.maximumRank else {
        throw error(.invalidModel, "'outputTensor' says that an output has rank \(rank)")
      }
      return Int(rank)
    }
    if let declared = featureRanks[layer.outputs[index]] { return declared }
    guard !layer.inputs.isEmpty else {
      throw error(.invalidModel, "has no inputs, and 'outputTensor' does not say the rank of its outputs")
    }
    return try rank(input(0))
  }

  /// The maximum rank of arrays in a network.
  private static let maximumRank = 16

  /// The bytes of weights as they are stored.
  private func stored(_ weights: Specification.WeightParams) throws -> Tensor {
    for bytes in [
      try weights.floatValueBytes, try weights.float16Value, try weights.rawValue, try weights.int8RawValue,
    ] where !bytes.isEmpty {
      return try Tensor(bytes: bytes)
    }
    return try Tensor.zeros(.uint8, shape: [0])
  }
}
