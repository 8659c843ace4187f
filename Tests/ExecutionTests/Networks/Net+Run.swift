import CoreMLBase
import MIL
import TestModels

@testable import CoreMLExecution

extension Net {
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
