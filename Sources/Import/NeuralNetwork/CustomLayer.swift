import CoreMLBase
import CoreMLSpec
import MIL

/// Layers that the application implements.
struct CustomLayers {
  let graph: NetworkGraph

  func custom(_ message: Specification.CustomLayerParams) throws {
    var arguments: [String: [Binding]] = [
      "class_name": [.string(try message.className)], "layer": [.string(graph.layer.name)],
    ]
    if !graph.layer.inputs.isEmpty {
      arguments["values"] = try graph.layer.inputs.indices.map { .name(try graph.asFloat(graph.input($0))) }
    }
    let weights = try message.weights.map { try stored($0) }
    if !weights.isEmpty { arguments["weights"] = weights.map { .tensor($0) } }
    do { try CustomParameters(message.parameters).add(to: &arguments) } catch let error as RuntimeError {
      throw graph.error(error.code, error.message)
    }
    let types = try graph.layer.outputs.indices.map { index in
      let dimensions = Array(repeating: Dimension.unknown, count: try outputRank(index))
      return ValueType.tensor(
        try TensorType(.float32, dimensions).validated("the output '\(graph.layer.outputs[index])'"))
    }
    let names = try graph.builder.add(
      "nn.custom", arguments, named: graph.layer.outputs, dynamic: types)
    for (index, name) in names.enumerated() { try graph.set(index, name) }
  }

  /// The rank of an output, which only the class knows. It is the rank in the file. Without one, the rank of the output
  /// feature. Otherwise the rank that coremltools assumes (NeuralNetworkBuilder: "Generic Layer copies rank of first
  /// input to all of its output").
  private func outputRank(_ index: Int) throws -> Int {
    if graph.layer.outputRanks.indices.contains(index), graph.layer.outputRanks[index] > 0 {
      let rank = graph.layer.outputRanks[index]
      guard rank <= Self.maximumRank else {
        throw graph.error(.invalidModel, "'outputTensor' says that an output has rank \(rank)")
      }
      return Int(rank)
    }
    if let declared = graph.featureRanks[graph.layer.outputs[index]] { return declared }
    guard !graph.layer.inputs.isEmpty else {
      throw graph.error(.invalidModel, "has no inputs, and 'outputTensor' does not say the rank of its outputs")
    }
    return try graph.rank(graph.input(0))
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
