import MIL

/// Recurrent operations, unrolled into steps, so back-propagation through time needs no special rule. The products with
/// the inputs are one matrix product for all steps.
enum RecurrentGradients {
  static let forms: [GradientDefinition] = [
    GradientDefinition("lstm", "nn.lstm") { try UnrolledLSTM($0).outputs() },
    GradientDefinition("gru", "nn.gru") { call in
      let isLayer = call.operation.type == "nn.gru"
      let gate = try call.recurrentActivation("recurrent_activation", default: "sigmoid")
      let activation = try call.recurrentActivation("activation", default: "tanh")
      let resetAfter = try call.invocation.bool("reset_after", default: false)
      let layer = try UnrolledLayer(call, gates: 3, bias: isLayer ? "bias" : "input_bias")
      let bias = isLayer || !call.has("bias") ? nil : try call.argument("bias")
      let e = call.emit
      func biased(_ value: Binding, _ gate: Int) throws -> Binding {
        guard let bias else { return value }
        return try e.add(value, e.slice(bias, axis: 0, from: gate * layer.hidden, count: layer.hidden))
      }
      return try layer.run { input, h in
        let r = try e.activation(
          gate, layer.limited(e.add(layer.gate(0, of: input), biased(layer.recurrent(0, h), 0))))
        let z = try e.activation(
          gate, layer.limited(e.add(layer.gate(2, of: input), biased(layer.recurrent(2, h), 2))))
        let candidate: Binding
        if resetAfter {
          candidate = try e.mul(r, biased(layer.recurrent(1, h), 1))
        } else {
          candidate = try biased(layer.recurrent(1, e.mul(r, h)), 1)
        }
        let o = try e.activation(activation, layer.limited(e.add(layer.gate(1, of: input), candidate)))
        // (1 - z) o + z h
        return try e.add(o, e.mul(z, e.sub(h, o)))
      }
    },
    GradientDefinition("rnn", "nn.rnn") { call in
      let activation = try call.recurrentActivation("activation", default: "tanh")
      let layer = try UnrolledLayer(call, gates: 1)
      return try layer.run { input, h in
        try call.emit.activation(activation, layer.limited(call.emit.add(input, layer.recurrent(0, h))))
      }
    },
  ]
}

extension FormCall {
  /// An activation argument, with the names of MIL's recurrent operations or of the network's layers.
  func recurrentActivation(_ name: String, default fallback: String) throws -> FusedActivation {
    operation.type.hasPrefix("nn.")
      ? try FusedActivation(layer: name, invocation)
      : try FusedActivation(recurrent: name, default: fallback, invocation)
  }

  /// All states, or the last one: [.., batch, hidden].
  fileprivate func sequence(_ states: [Binding]) throws -> Binding {
    let isWhole = try invocation.bool("output_sequence", default: false)
    let kept = isWhole ? states : Array(states.suffix(1))
    return try emit.concat(kept.map { try emit.reshape($0, [1] + emit.shape($0)) }, axis: 0)
  }
}

/// One direction of a recurrent operation, unrolled into steps.
struct UnrolledLayer {
  let e: Emitter
  let steps: Int
  let batch: Int
  let hidden: Int
  private let call: FormCall
  /// W_ih x + bias for all steps and gates: [steps, batch, gates * hidden].
  private let projected: Binding
  private let weight: Binding
  private let isReverse: Bool
  /// Whether this is a network's layer, which clamps the inputs of activations.
  private let isLayer: Bool

  init(_ call: FormCall, gates: Int, bias: String = "bias", suffix: String = "", reverse: Bool? = nil) throws {
    self.call = call
    e = call.emit
    let shape = try e.shape(call.x)
    (steps, batch) = (shape[0], shape[1])
    weight = try call.argument("weight_hh" + suffix)
    hidden = try e.shape(weight)[1]
    isReverse = try reverse ?? (Recurrent.direction(call.invocation) == .reverse)
    isLayer = call.operation.type.hasPrefix("nn.")
    var arguments = ["x": try call.x, "weight": try call.argument("weight_ih" + suffix)]
    if call.has(bias + suffix) { arguments["bias"] = try call.argument(bias + suffix) }
    projected = try e("linear", arguments)
  }

  func gate(_ index: Int, of value: Binding) throws -> Binding {
    try e.slice(value, axis: 1, from: index * hidden, count: hidden)
  }

  /// W_hh h for one gate, or for all gates if `gate` is nil.
  func recurrent(_ gate: Int?, _ h: Binding) throws -> Binding {
    let own = try gate.map { try e.slice(weight, axis: 0, from: $0 * hidden, count: hidden) } ?? weight
    return try e.matmul(h, own, transposeY: true)
  }

  func limited(_ x: Binding, by limit: Double = 50) throws -> Binding {
    guard isLayer else { return x }
    return try e("clip", ["x": x, "alpha": e.number(-limit, like: x), "beta": e.number(limit, like: x)])
  }

  /// The initial states. If there are more states than sequences in the batch, the first ones are used.
  func start(_ state: Binding) throws -> Binding {
    try e.shape(state)[0] > batch ? e.slice(state, axis: 0, from: 0, count: batch) : state
  }

  /// The states in the order of computation. `advance` gets the input part of the gates and the previous state.
  func states(from initial: Binding, _ advance: (Binding, Binding) throws -> Binding) throws -> [Binding] {
    var h = try start(initial)
    var all: [Binding] = []
    for step in 0..<steps {
      let place = isReverse ? steps - 1 - step : step
      let input = try e.reshape(
        e.slice(projected, axis: 0, from: place, count: 1), [batch, e.shape(projected)[2]])
      h = try advance(input, h)
      all.append(h)
    }
    return all
  }

  /// The outputs of an operation with one direction and one state.
  func run(_ advance: (Binding, Binding) throws -> Binding) throws -> [Binding] {
    let all = try states(from: call.argument("initial_h"), advance)
    return try [call.sequence(all), all[steps - 1]]
  }
}

/// The gates are i, f, o, z; the peepholes are i, f, o.
struct UnrolledLSTM {
  private let call: FormCall
  private let e: Emitter
  private let gate: FusedActivation
  private let cell: FusedActivation
  private let output: FusedActivation
  private let clip: Double?
  private let isCoupled: Bool

  init(_ call: FormCall) throws {
    self.call = call
    e = call.emit
    gate = try call.recurrentActivation("recurrent_activation", default: "sigmoid")
    cell = try call.recurrentActivation("cell_activation", default: "tanh")
    output = try call.recurrentActivation("activation", default: "tanh")
    let isLayer = call.operation.type == "nn.lstm"
    clip = call.has("clip") ? try call.invocation.double("clip") : isLayer ? 50 : nil
    isCoupled = try call.invocation.bool("coupled_gates", default: false)
  }

  func outputs() throws -> [Binding] {
    let direction = try Recurrent.direction(call.invocation)
    let forward = try walk(suffix: "", pass: 0, reverse: direction == .reverse)
    guard direction == .bidirectional else {
      return try [call.sequence(forward.h), forward.h[forward.h.count - 1], forward.c]
    }
    let backward = try walk(suffix: "_back", pass: 1, reverse: true)
    // Each output of the backward pass belongs to the step that it read, so the outputs are reversed. The last state is
    // that of the first step.
    let isWhole = try call.invocation.bool("output_sequence", default: false)
    let other = isWhole ? Array(backward.h.reversed()) : backward.h
    let both = try zip(forward.h, other).map { try e.concat([$0, $1], axis: 1) }
    let last = try e.concat([forward.h[forward.h.count - 1], backward.h[backward.h.count - 1]], axis: 1)
    return try [call.sequence(both), last, e.concat([forward.c, backward.c], axis: 1)]
  }

  private func walk(suffix: String, pass: Int, reverse: Bool) throws -> (h: [Binding], c: Binding) {
    let layer = try UnrolledLayer(call, gates: 4, suffix: suffix, reverse: reverse)
    let hidden = layer.hidden
    func initial(_ name: String) throws -> Binding {
      try e.slice(call.argument(name), axis: 1, from: pass * hidden, count: hidden)
    }
    let peephole = call.has("peephole" + suffix) ? try call.argument("peephole" + suffix) : nil
    func peeped(_ value: Binding, _ gate: Int, _ c: Binding) throws -> Binding {
      guard let peephole else { return value }
      return try e.add(value, e.mul(c, e.slice(peephole, axis: 0, from: gate * hidden, count: hidden)))
    }
    var c = try layer.start(initial("initial_c"))
    let states = try layer.states(from: initial("initial_h")) { input, h in
      let pre = try e.add(input, layer.recurrent(nil, h))
      let i = try e.activation(gate, layer.limited(peeped(layer.gate(0, of: pre), 0, c)))
      let f =
        isCoupled
        ? try e.sub(1, i) : try e.activation(gate, layer.limited(peeped(layer.gate(1, of: pre), 1, c)))
      let z = try e.activation(cell, layer.limited(layer.gate(3, of: pre)))
      c = try e.add(e.mul(f, c), e.mul(i, z))
      if let clip {
        c = try e("clip", ["x": c, "alpha": e.number(-clip, like: c), "beta": e.number(clip, like: c)])
      }
      let o = try e.activation(gate, layer.limited(peeped(layer.gate(2, of: pre), 2, c)))
      return try e.mul(o, e.activation(output, c))
    }
    return (states, c)
  }
}
