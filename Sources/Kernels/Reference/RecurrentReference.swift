import CoreMLBase
import MIL

enum RecurrentReference {
  static let all: [Reference] = [
    Reference("lstm") { try LSTMReference($0).evaluate() },
    Reference("gru") { try gru($0) },
    Reference("rnn") { call in
      let activation = try FusedActivation(recurrent: "activation", default: "tanh", call.invocation)
      let layer = try RecurrentLayer(call, gates: 1)
      return try layer.run(call) { input, h in
        let recurrent = layer.recurrent(0, h)
        return h.indices.map { activation(input[$0] + recurrent[$0]) }
      }
    },
  ]

  /// Gates r, o, z. `bias` is added to the recurrent product, which matters for o if the reset gate multiplies the
  /// product.
  private static func gru(_ call: ReferenceCall) throws -> [Value] {
    let gate = try FusedActivation(recurrent: "recurrent_activation", default: "sigmoid", call.invocation)
    let activation = try FusedActivation(recurrent: "activation", default: "tanh", call.invocation)
    let resetAfter = try call.invocation.bool("reset_after", default: false)
    let hasInputBias = call.has("input_bias")
    let layer = try RecurrentLayer(call, gates: 3, bias: hasInputBias ? "input_bias" : nil)
    let hidden = layer.hidden
    let bias = try call.has("bias") ? call.doubles("bias") : Array(repeating: 0, count: 3 * hidden)
    return try layer.run(call) { input, h in
      let (recurrentR, recurrentZ) = (layer.recurrent(0, h), layer.recurrent(2, h))
      let r = h.indices.map { gate(input[$0] + recurrentR[$0] + bias[$0]) }
      let z = h.indices.map { gate(input[2 * hidden + $0] + recurrentZ[$0] + bias[2 * hidden + $0]) }
      let candidate = layer.recurrent(1, resetAfter ? h : zip(r, h).map { $0 * $1 })
      return h.indices.map { unit in
        let recurrent = candidate[unit] + bias[hidden + unit]
        let o = activation(input[hidden + unit] + (resetAfter ? r[unit] * recurrent : recurrent))
        return (1 - z[unit]) * o + z[unit] * h[unit]
      }
    }
  }
}

/// One direction of a recurrent operation: its weights, and the iteration over the sequence.
struct RecurrentLayer {
  let steps: Int
  let batch: Int
  let inputs: Int
  let hidden: Int
  let gates: Int
  private let x: [Double]
  private let weightInput: [Double]
  private let weightRecurrent: [Double]
  private let bias: [Double]

  init(_ call: ReferenceCall, gates: Int, bias name: String? = "bias", suffix: String = "") throws {
    let sizes = try call.sizes("x")
    (steps, batch, inputs) = (sizes[0], sizes[1], sizes[2])
    hidden = try call.sizes("weight_hh" + suffix)[1]
    self.gates = gates
    x = try call.doubles("x")
    weightInput = try call.doubles("weight_ih" + suffix)
    weightRecurrent = try call.doubles("weight_hh" + suffix)
    bias =
      try name.flatMap { try call.has($0 + suffix) ? call.doubles($0 + suffix) : nil }
      ?? Array(repeating: 0, count: gates * hidden)
  }

  /// Multiplications of one step of one item, for the cancellation checks.
  var weight: Int { max(gates * hidden * (inputs + hidden), 1) }

  /// W_ih x + bias for all gates of a step and a batch item.
  func input(_ step: Int, _ item: Int) -> [Double] {
    let start = (step * batch + item) * inputs
    return (0..<gates * hidden).map { unit in
      var sum = bias[unit]
      for index in 0..<inputs { sum += weightInput[unit * inputs + index] * x[start + index] }
      return sum
    }
  }

  /// W_hh h for one gate.
  func recurrent(_ gate: Int, _ h: [Double]) -> [Double] {
    (0..<hidden).map { unit in
      let row = (gate * hidden + unit) * hidden
      var sum = 0.0
      for index in 0..<hidden { sum += weightRecurrent[row + index] * h[index] }
      return sum
    }
  }

  /// Runs `advance` over the sequence in the operation's direction. It maps (input part of the gates, h) to the next h.
  func run(_ call: ReferenceCall, _ advance: ([Double], [Double]) throws -> [Double]) throws -> [Value] {
    let isReverse = try Recurrent.direction(call.invocation) == .reverse
    let keepsAll = try call.invocation.bool("output_sequence", default: false)
    try call.admitNumbers()
    let initial = try call.doubles("initial_h")
    var h = (0..<batch).map { Array(initial[$0 * hidden..<($0 + 1) * hidden]) }
    var sequence: [Double] = []
    var point = CancellationPoint()
    for step in 0..<steps {
      for item in 0..<batch {
        try point.pass(weight)
        h[item] = try advance(input(isReverse ? steps - 1 - step : step, item), h[item])
      }
      if keepsAll || step == steps - 1 { sequence += h.joined() }
    }
    return [try call.result(sequence, 0), try call.result(Array(h.joined()), 1)]
  }
}

/// `lstm`: gates i, f, o, z; peepholes i, f, o; the cell is clipped.
struct LSTMReference {
  private let call: ReferenceCall
  private let gate: FusedActivation
  private let cell: FusedActivation
  private let output: FusedActivation
  private let clip: Double

  init(_ call: ReferenceCall) throws {
    self.call = call
    gate = try FusedActivation(recurrent: "recurrent_activation", default: "sigmoid", call.invocation)
    cell = try FusedActivation(recurrent: "cell_activation", default: "tanh", call.invocation)
    output = try FusedActivation(recurrent: "activation", default: "tanh", call.invocation)
    clip = try call.invocation.double("clip", default: .infinity)
  }

  func evaluate() throws -> [Value] {
    let direction = try Recurrent.direction(call.invocation)
    let keepsAll = try call.invocation.bool("output_sequence", default: false)
    let passes = direction == .bidirectional ? 2 : 1
    try call.admitNumbers()
    let results = try (0..<passes).map { try walk(pass: $0, of: passes, reverse: direction == .reverse || $0 == 1) }
    let (steps, batch) = (results[0].h.count, results[0].h[0].count)
    var sequence: [Double] = []
    for step in keepsAll ? 0..<steps : steps - 1..<steps {
      for item in 0..<batch {
        for (pass, result) in results.enumerated() {
          // The backward pass of a bidirectional layer is stored at the steps that it has read. Its last state is that
          // of step 0.
          sequence += result.h[keepsAll && pass == 1 ? steps - 1 - step : step][item]
        }
      }
    }
    let last = (0..<batch).flatMap { item in results.flatMap { $0.h[steps - 1][item] } }
    let cells = (0..<batch).flatMap { item in results.flatMap { $0.c[item] } }
    return [try call.result(sequence, 0), try call.result(last, 1), try call.result(cells, 2)]
  }

  /// Hidden states in the order of computation ([step][item]), and the final cells.
  private func walk(pass: Int, of passes: Int, reverse: Bool) throws -> (h: [[[Double]]], c: [[Double]]) {
    let suffix = pass == 1 ? "_back" : ""
    let layer = try RecurrentLayer(call, gates: 4, suffix: suffix)
    let hidden = layer.hidden
    let peephole =
      try call.has("peephole" + suffix)
      ? call.doubles("peephole" + suffix) : Array(repeating: 0, count: 3 * hidden)
    func initial(_ name: String) throws -> [[Double]] {
      let all = try call.doubles(name)
      return (0..<layer.batch).map { item in
        let start = (item * passes + pass) * hidden
        return Array(all[start..<start + hidden])
      }
    }
    var h = try initial("initial_h")
    var c = try initial("initial_c")
    let items = TensorType.elementCount([layer.steps, layer.batch]) ?? .max
    try MemoryBudget.current.admit(items, of: 8 * hidden + 48, for: "the states of \(layer.steps) steps")
    var all: [[[Double]]] = []
    var point = CancellationPoint()
    for step in 0..<layer.steps {
      for item in 0..<layer.batch {
        try point.pass(layer.weight)
        let input = layer.input(reverse ? layer.steps - 1 - step : step, item)
        let recurrent = (0..<4).map { layer.recurrent($0, h[item]) }
        for unit in 0..<hidden {
          func pre(_ index: Int) -> Double { input[index * hidden + unit] + recurrent[index][unit] }
          let old = c[item][unit]
          let i = gate(pre(0) + peephole[unit] * old)
          let f = gate(pre(1) + peephole[hidden + unit] * old)
          let new = min(max(f * old + i * cell(pre(3)), -clip), clip)
          let o = gate(pre(2) + peephole[2 * hidden + unit] * new)
          c[item][unit] = new
          h[item][unit] = o * output(new)
        }
      }
      all.append(h)
    }
    return (all, c)
  }
}
