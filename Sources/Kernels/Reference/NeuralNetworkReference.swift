import Foundation
import MIL

/// The equations of NeuralNetwork.proto for the recurrent layers and the unary functions that MIL lacks.
enum NeuralNetworkReference {
  static let all: [Reference] = [
    ElementwiseReference.map("nn.asinh") { asinh($0) },
    ElementwiseReference.map("nn.acosh") { acosh($0) },
    Reference("nn.lstm") { try longShortTermMemory($0) },
    Reference("nn.gru") { try gatedRecurrentUnit($0) },
    Reference("nn.rnn") { call in
      let activation = try FusedActivation(layer: "activation", call.invocation)
      let layer = try RecurrentLayer(call, gates: 1)
      return try layer.run(call) { input, h in
        let recurrent = layer.recurrent(0, h)
        return h.indices.map { activation(limited(input[$0] + recurrent[$0])) }
      }
    },
  ]

  private static func limited(_ x: Double, by limit: Double = 50) -> Double {
    x.isNaN ? x : min(max(x, -limit), limit)
  }

  /// Gates r, o, z.
  private static func gatedRecurrentUnit(_ call: ReferenceCall) throws -> [Value] {
    let gate = try FusedActivation(layer: "recurrent_activation", call.invocation)
    let activation = try FusedActivation(layer: "activation", call.invocation)
    let layer = try RecurrentLayer(call, gates: 3)
    let hidden = layer.hidden
    return try layer.run(call) { input, h in
      let (recurrentR, recurrentZ) = (layer.recurrent(0, h), layer.recurrent(2, h))
      let r = h.indices.map { gate(limited(input[$0] + recurrentR[$0])) }
      let z = h.indices.map { gate(limited(input[2 * hidden + $0] + recurrentZ[$0])) }
      let candidate = layer.recurrent(1, zip(r, h).map { $0 * $1 })
      return h.indices.map { unit in
        let o = activation(limited(input[hidden + unit] + candidate[unit]))
        return (1 - z[unit]) * o + z[unit] * h[unit]
      }
    }
  }

  /// Gates i, f, o, z; peepholes i, f, o.
  private static func longShortTermMemory(_ call: ReferenceCall) throws -> [Value] {
    let gate = try FusedActivation(layer: "recurrent_activation", call.invocation)
    let cell = try FusedActivation(layer: "cell_activation", call.invocation)
    let output = try FusedActivation(layer: "activation", call.invocation)
    let isCoupled = try call.invocation.bool("coupled_gates", default: false)
    let clip = try call.invocation.double("clip", default: 50)
    let layer = try RecurrentLayer(call, gates: 4)
    let hidden = layer.hidden
    let peephole =
      try call.has("peephole") ? call.doubles("peephole") : Array(repeating: 0, count: 3 * hidden)
    var c = try call.doubles("initial_c")
    var item = 0
    let results = try layer.run(call) { input, h in
      let recurrent = (0..<4).map { layer.recurrent($0, h) }
      let start = item % layer.batch * hidden
      item += 1
      return (0..<hidden).map { unit in
        func pre(_ index: Int) -> Double { input[index * hidden + unit] + recurrent[index][unit] }
        let old = c[start + unit]
        let i = gate(limited(pre(0) + peephole[unit] * old))
        let f = isCoupled ? 1 - i : gate(limited(pre(1) + peephole[hidden + unit] * old))
        let new = limited(f * old + i * cell(limited(pre(3))), by: clip)
        c[start + unit] = new
        return gate(limited(pre(2) + peephole[2 * hidden + unit] * new)) * output(new)
      }
    }
    return results + [try call.result(c, 2)]
  }
}
