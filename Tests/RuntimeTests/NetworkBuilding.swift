import CoreMLBase
import CoreMLSpec
import MIL

@testable import CoreMLExecution
@testable import CoreMLImport
@testable import CoreMLRuntime

/// Neural networks written field by field, for tests of their lowering.
enum Net {
  /// One `NeuralNetworkLayer`, encoded.
  typealias Layer = [UInt8]

  static func layer(
    _ kind: Int, _ inputs: [String], _ outputs: [String], _ params: (inout WireWriter) -> Void = { _ in }
  ) -> Layer {
    var writer = WireWriter()
    writer.append(1, string: "layer \(kind) \(outputs.joined(separator: " "))")
    for input in inputs { writer.append(2, string: input) }
    for output in outputs { writer.append(3, string: output) }
    writer.append(kind, message: params)
    return writer.bytes
  }

  /// A `NeuralNetwork` message.
  static func network(_ layers: [Layer]) -> [UInt8] {
    var writer = WireWriter()
    for layer in layers { writer.append(1, bytes: layer) }
    return writer.bytes
  }

  // MARK: layers

  static func copy(_ x: String, _ y: String) -> Layer { layer(600, [x], [y]) }
  static func add(_ x: String, _ amount: Float, _ y: String) -> Layer {
    layer(230, [x], [y]) { $0.append(1, float: amount) }
  }
  static func multiply(_ x: String, _ factor: Float, _ y: String) -> Layer {
    layer(231, [x], [y]) { $0.append(1, float: factor) }
  }
  static func sum(_ x: String, _ y: String, _ z: String) -> Layer { layer(880, [x, y], [z]) }
  static func less(_ x: String, _ limit: Float, _ y: String) -> Layer {
    layer(825, [x], [y]) { $0.append(2, float: limit) }
  }
  static func greater(_ x: String, _ limit: Float, _ y: String) -> Layer {
    layer(830, [x], [y]) { $0.append(2, float: limit) }
  }
  static func equal(_ x: String, _ value: Float, _ y: String) -> Layer {
    layer(815, [x], [y]) { $0.append(1, float: value) }
  }
  static func concat(_ x: [String], _ y: String) -> Layer { layer(980, x, [y]) }
  static func branch(_ pred: String, _ first: [Layer], _ second: [Layer]? = nil) -> Layer {
    layer(605, [pred], []) { writer in
      writer.append(1, bytes: network(first))
      if let second { writer.append(2, bytes: network(second)) }
    }
  }
  static func loop(
    count: UInt64 = 0, input: String? = nil, condition: (name: String, layers: [Layer])? = nil, _ body: [Layer]
  ) -> Layer {
    layer(615, input.map { [$0] } ?? [], []) { writer in
      writer.append(1, uint: count)
      if let condition {
        writer.append(2, string: condition.name)
        writer.append(3, bytes: network(condition.layers))
      }
      writer.append(4, bytes: network(body))
    }
  }
  static let breakLoop = layer(620, [], [])
  static let continueLoop = layer(625, [], [])

  // MARK: running

  /// The function of layers with fp32 inputs of these shapes and the outputs `outputs`.
  static func function(
    _ layers: [Layer], inputs: [String: [Dimension]], outputs: [String]
  ) throws -> Function {
    var importer = NetworkImport()
    for (name, shape) in inputs.sorted(by: { $0.key < $1.key }) {
      let value = importer.builder.input(name, .tensor(TensorType(.float32, shape)))
      importer.define(name, Blob(full: value, merged: nil))
    }
    let network = Specification.NeuralNetwork(Message(Bytes(self.network(layers))))
    try importer.readingLater(outputs) { try $0.lowerAll(network.layers) }
    var values: [String] = []
    for name in outputs {
      guard let blob = importer.blobs[name] else { throw RuntimeError(.invalidModel, "'\(name)' has no value") }
      values.append(try importer.full(blob, named: name))
    }
    var body = importer.builder.block(outputs: values)
    body.inputs = []
    return Function(inputs: importer.builder.inputs, opset: "CoreML8", body: body)
  }

  /// The outputs of layers for inputs of fixed sizes, and again with unknown sizes. Both must agree.
  static func run(
    _ layers: [Layer], _ inputs: [String: [Float]], outputs: [String]
  ) throws -> [[Double]] {
    let tensors = inputs.mapValues { Tensor(float32: $0, shape: [$0.count]) }
    let results = try [true, false].map { isFixed in
      let shapes = inputs.mapValues { [isFixed ? Dimension($0.count) : .unknown] }
      let function = try function(layers, inputs: shapes, outputs: outputs)
      let engine = Engine(function: function, devices: DeviceChoice(threads: 1))
      let states = try StateBuffers(types: engine.stateTypes)
      return try engine.run(tensors.mapValues { .tensor($0) }, states: states, shouldStop: { false }) { values in
        try function.body.outputs.map { name in
          guard let value = values.first(where: { $0.0 == name })?.1.tensor else {
            throw RuntimeError(.evaluation, "'\(name)' is missing")
          }
          return try value.doubles()
        }
      }
    }
    guard results[0] == results[1] else {
      throw RuntimeError(.evaluation, "fixed sizes give \(results[0]), open ones \(results[1])")
    }
    return results[0]
  }
}
