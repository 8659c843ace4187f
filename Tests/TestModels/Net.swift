import CoreMLSpec

/// Neural networks written field by field, for tests of their lowering.
package enum Net {
  /// One `NeuralNetworkLayer`, encoded.
  package typealias Layer = [UInt8]

  package static func layer(
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
  package static func network(_ layers: [Layer]) -> [UInt8] {
    var writer = WireWriter()
    for layer in layers { writer.append(1, bytes: layer) }
    return writer.bytes
  }

  // MARK: layers

  package static func copy(_ x: String, _ y: String) -> Layer { layer(600, [x], [y]) }
  package static func add(_ x: String, _ amount: Float, _ y: String) -> Layer {
    layer(230, [x], [y]) { $0.append(1, float: amount) }
  }
  package static func multiply(_ x: String, _ factor: Float, _ y: String) -> Layer {
    layer(231, [x], [y]) { $0.append(1, float: factor) }
  }
  package static func sum(_ x: String, _ y: String, _ z: String) -> Layer { layer(880, [x, y], [z]) }
  package static func less(_ x: String, _ limit: Float, _ y: String) -> Layer {
    layer(825, [x], [y]) { $0.append(2, float: limit) }
  }
  package static func greater(_ x: String, _ limit: Float, _ y: String) -> Layer {
    layer(830, [x], [y]) { $0.append(2, float: limit) }
  }
  package static func equal(_ x: String, _ value: Float, _ y: String) -> Layer {
    layer(815, [x], [y]) { $0.append(1, float: value) }
  }
  package static func concat(_ x: [String], _ y: String) -> Layer { layer(980, x, [y]) }
  package static func branch(_ pred: String, _ first: [Layer], _ second: [Layer]? = nil) -> Layer {
    layer(605, [pred], []) { writer in
      writer.append(1, bytes: network(first))
      if let second { writer.append(2, bytes: network(second)) }
    }
  }
  package static func loop(
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
  package static let breakLoop = layer(620, [], [])
  package static let continueLoop = layer(625, [], [])
}
