import CoreMLBase
import CoreMLSpec
import MIL
import TestModels

@testable import CoreMLImport

extension Net {
  /// The function of layers with fp32 inputs of these shapes and the outputs `outputs`.
  static func function(
    _ layers: [Layer], inputs: [String: [Dimension]], outputs: [String]
  ) throws -> Function {
    let importer = NetworkImport()
    for (name, shape) in inputs.sorted(by: { $0.key < $1.key }) {
      let value = importer.graph.builder.input(name, .tensor(TensorType(.float32, shape)))
      importer.graph.define(name, Blob(full: value, merged: nil))
    }
    let network = Specification.NeuralNetwork(Message(Bytes(self.network(layers))))
    try importer.readingLater(outputs) { try importer.lowerAll(network.layers) }
    var values: [String] = []
    for name in outputs {
      guard let blob = importer.graph.blobs[name] else { throw RuntimeError(.invalidModel, "'\(name)' has no value") }
      values.append(try importer.graph.full(blob, named: name))
    }
    var body = importer.graph.builder.block(outputs: values)
    body.inputs = []
    return Function(inputs: importer.graph.builder.inputs, opset: "CoreML8", body: body)
  }
}
