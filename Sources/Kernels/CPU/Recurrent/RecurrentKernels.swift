import CKernels
import MIL

enum RecurrentKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("lstm.packed", for: "lstm") { problem in
      let call = problem.invocation
      return try PackedRecurrence(
        problem,
        .lstm(
          FusedActivation(recurrent: "recurrent_activation", default: "sigmoid", call),
          FusedActivation(recurrent: "cell_activation", default: "tanh", call),
          FusedActivation(recurrent: "activation", default: "tanh", call),
          clip: Float(call.double("clip", default: .infinity)))
      ).candidate
    },
    KernelImplementation("gru.packed", for: "gru") { problem in
      let call = problem.invocation
      return try PackedRecurrence(
        problem,
        .gru(
          FusedActivation(recurrent: "recurrent_activation", default: "sigmoid", call),
          FusedActivation(recurrent: "activation", default: "tanh", call),
          resetAfter: call.bool("reset_after", default: false))
      ).candidate
    },
    KernelImplementation("rnn.packed", for: "rnn") { problem in
      try PackedRecurrence(
        problem, .plain(FusedActivation(recurrent: "activation", default: "tanh", problem.invocation))
      )
      .candidate
    },
    KernelImplementation("lstm.cell", for: "lstm") { try LSTMKernel($0).candidate },
    KernelImplementation("gru.cell", for: "gru") { try GRUKernel($0).candidate },
    KernelImplementation("rnn.cell", for: "rnn") { problem in
      let activation = try FusedActivation(recurrent: "activation", default: "tanh", problem.invocation).unary
      return try plainRecurrence(problem) { next, state, count in
        ck_unary_f32(activation.op, activation.alpha, activation.beta, next, state, count)
      }
    },
  ]

  /// A layer of one gate. Its state is the activation of W x + R state + b; `activate` may overwrite that sum.
  static func plainRecurrence(
    _ problem: KernelProblem,
    _ activate:
      @escaping @Sendable (
        _ sum: UnsafeMutablePointer<Float>, _ state: UnsafeMutablePointer<Float>, _ count: Int
      ) -> Void
  ) throws -> Candidate {
    let layer = try RecurrentProblem(problem, gates: 1)
    let matrices = [try RecurrentMatrix(problem, "weight_ih"), try layer.recurrent(problem, "weight_hh")]
    let initial = try problem.slot("initial_h")
    let bias = problem.optionalSlot("bias")
    let floats = layer.steps * layer.gateFloats + layer.stateFloats * 2
    return layer.candidate(floats: floats, matrices) { frame, matrices, gates in
      let (input, recurrent) = (matrices[0], matrices[1])
      let state = gates + layer.steps * layer.gateFloats
      let next = state + layer.stateFloats
      layer.project(frame, input, bias: frame.input(optional: bias), to: gates)
      layer.load(frame.input(initial), pass: 0, to: state)
      for step in 0..<layer.steps {
        layer.recur(
          frame, recurrent, count: layer.hidden, state: state,
          base: gates + layer.source(step, pass: 0) * layer.gateFloats, out: next, ld: layer.hidden)
        activate(next, state, layer.stateFloats)
        layer.store(frame, step: step, pass: 0, state)
      }
    }
  }
}

extension ck_recurrent_activations {
  init(gate: FusedActivation, cell: FusedActivation, output: FusedActivation) {
    let (g, c, o) = (gate.unary, cell.unary, output.unary)
    self.init(
      gate: g.op, cell: c.op, output: o.op, gate_alpha: g.alpha, gate_beta: g.beta, cell_alpha: c.alpha,
      cell_beta: c.beta, output_alpha: o.alpha, output_beta: o.beta)
  }
}

/// `lstm`: gates i, f, o, z.
private struct LSTMKernel: Sendable {
  /// The operands of one direction.
  struct Pass: Sendable {
    let input: RecurrentMatrix
    let recurrent: RecurrentMatrix
    let bias: Int?
    let peephole: Int?

    init(_ problem: KernelProblem, _ layer: RecurrentProblem, _ suffix: String) throws {
      input = try RecurrentMatrix(problem, "weight_ih" + suffix)
      recurrent = try layer.recurrent(problem, "weight_hh" + suffix)
      bias = problem.optionalSlot("bias" + suffix)
      peephole = problem.optionalSlot("peephole" + suffix)
    }
  }

  private let layer: RecurrentProblem
  private let passes: [Pass]
  private let states: (h: Int, c: Int)
  private let gate: FusedActivation
  private let cell: FusedActivation
  private let output: FusedActivation
  private let clip: Float

  init(_ problem: KernelProblem) throws {
    layer = try RecurrentProblem(problem, gates: 4)
    passes = try (layer.passes == 2 ? ["", "_back"] : [""]).map { [layer] in try Pass(problem, layer, $0) }
    states = (try problem.slot("initial_h"), try problem.slot("initial_c"))
    gate = try FusedActivation(recurrent: "recurrent_activation", default: "sigmoid", problem.invocation)
    cell = try FusedActivation(recurrent: "cell_activation", default: "tanh", problem.invocation)
    output = try FusedActivation(recurrent: "activation", default: "tanh", problem.invocation)
    clip = Float(try problem.invocation.double("clip", default: .infinity))
  }

  var candidate: Candidate {
    let floats = (layer.steps + 1) * layer.gateFloats + 2 * layer.stateFloats
    return layer.candidate(floats: floats, passes.flatMap { [$0.input, $0.recurrent] }) { frame, matrices, gates in
      for index in passes.indices {
        run(frame, index, passes[index], matrices[2 * index], matrices[2 * index + 1], gates)
      }
    }
  }

  private func run(
    _ frame: CPUFrame, _ index: Int, _ pass: Pass, _ input: RecurrentMatrix, _ recurrent: RecurrentMatrix,
    _ gates: UnsafeMutablePointer<Float>
  ) {
    let (hidden, width) = (layer.hidden, 4 * layer.hidden)
    let sums = gates + layer.steps * layer.gateFloats
    let h = sums + layer.gateFloats
    let c = h + layer.stateFloats
    var activations = ck_recurrent_activations(gate: gate, cell: cell, output: output)
    let peephole = frame.input(optional: pass.peephole, as: Float.self)
    layer.project(frame, input, bias: frame.input(optional: pass.bias), to: gates)
    layer.load(frame.input(states.h), pass: index, to: h)
    layer.load(frame.input(states.c), pass: index, to: c)
    for step in 0..<layer.steps {
      layer.recur(
        frame, recurrent, count: width, state: h,
        base: gates + layer.source(step, pass: index) * layer.gateFloats, out: sums, ld: width)
      for item in 0..<layer.batch {
        let g = sums + item * width
        ck_lstm_cell_f32(
          g, g + hidden, g + 2 * hidden, g + 3 * hidden, peephole, peephole.advanced(hidden),
          peephole.advanced(2 * hidden), &activations, clip, c + item * hidden, h + item * hidden, hidden)
      }
      layer.store(frame, step: step, pass: index, h)
    }
    layer.copy(c, to: frame.output(2, as: Float.self) + index * hidden, layer.passes * hidden)
  }
}

/// `gru`: gates r, o, z.
private struct GRUKernel: Sendable {
  private let layer: RecurrentProblem
  private let initial: Int
  private let matrices: [RecurrentMatrix]
  private let bias: Int?
  private let inputBias: Int?
  private let resetAfter: Bool
  private let gate: FusedActivation
  private let cell: FusedActivation

  init(_ problem: KernelProblem) throws {
    layer = try RecurrentProblem(problem, gates: 3)
    initial = try problem.slot("initial_h")
    matrices = [try RecurrentMatrix(problem, "weight_ih"), try layer.recurrent(problem, "weight_hh")]
    (bias, inputBias) = (problem.optionalSlot("bias"), problem.optionalSlot("input_bias"))
    resetAfter = try problem.invocation.bool("reset_after", default: false)
    gate = try FusedActivation(recurrent: "recurrent_activation", default: "sigmoid", problem.invocation)
    cell = try FusedActivation(recurrent: "activation", default: "tanh", problem.invocation)
  }

  var candidate: Candidate {
    let sums = resetAfter ? 2 : 1
    let floats = (layer.steps + sums) * layer.gateFloats + 3 * layer.stateFloats + 3 * layer.hidden
    return layer.candidate(floats: floats, matrices) { run($0, $1[0], $1[1], $2) }
  }

  private func run(
    _ frame: CPUFrame, _ input: RecurrentMatrix, _ weights: RecurrentMatrix, _ gates: UnsafeMutablePointer<Float>
  ) {
    let (hidden, width) = (layer.hidden, 3 * layer.hidden)
    let sums = gates + layer.steps * layer.gateFloats
    let h = sums + layer.gateFloats
    let reset = h + layer.stateFloats
    let candidate = reset + layer.stateFloats
    let bothBiases = candidate + layer.stateFloats
    let start = bothBiases + width
    var activations = ck_recurrent_activations(gate: gate, cell: cell, output: cell)
    layer.project(frame, input, bias: projectedBias(frame, bothBiases), to: gates)
    layer.load(frame.input(initial), pass: 0, to: h)
    for step in 0..<layer.steps {
      let base = gates + layer.source(step, pass: 0) * layer.gateFloats
      if resetAfter {
        // One product for all gates. It starts with the input part of r and z, and with the candidate's recurrent bias.
        for item in 0..<layer.batch {
          (start + item * width).update(from: base + item * width, count: width)
          if let bias {
            (start + item * width + hidden).update(from: frame.input(bias, as: Float.self) + hidden, count: hidden)
          } else {
            (start + item * width + hidden).update(repeating: 0, count: hidden)
          }
        }
        layer.recur(frame, weights, count: width, state: h, base: start, out: sums, ld: width)
      } else {
        // r and z are not adjacent, because o is between them. Each has its own part of the gates and recurrent
        // weights.
        for half in 0..<2 {
          let part = 2 * half
          layer.recur(
            frame, weights, from: part * hidden, count: hidden, state: h, base: base + part * hidden,
            out: sums + part * hidden, ld: width)
        }
      }
      for item in 0..<layer.batch {
        let g = sums + item * width
        // The reset gate multiplies the state before the product, or the product.
        ck_gru_reset_f32(
          g + 2 * hidden, g, &activations, resetAfter ? g + hidden : h + item * hidden, g + 2 * hidden,
          reset + item * hidden, hidden)
      }
      if !resetAfter {
        layer.recur(
          frame, weights, from: hidden, count: hidden, state: reset, base: nil, out: candidate, ld: hidden)
      }
      for item in 0..<layer.batch {
        let target = candidate + item * hidden
        var (length, one) = (hidden, 1)
        _ = ck_binary_f32(
          CK_BINARY_ADD, (resetAfter ? reset + item * hidden : target), base + item * width + hidden, target, 1,
          &length,
          &one, &one)
        ck_gru_cell_f32(
          sums + item * width + 2 * hidden, target, &activations, h + item * hidden, h + item * hidden, hidden)
      }
      layer.store(frame, step: step, pass: 0, h)
    }
  }

  /// The biases that are added to the input part: all, except the candidate's recurrent bias if the reset gate
  /// multiplies it.
  private func projectedBias(_ frame: CPUFrame, _ sum: UnsafeMutablePointer<Float>) -> UnsafePointer<Float>? {
    guard let bias else { return frame.input(optional: inputBias) }
    let recurrent: UnsafePointer<Float> = frame.input(bias)
    let input = frame.input(optional: inputBias, as: Float.self)
    let hidden = layer.hidden
    for index in 0..<3 * hidden {
      let isCandidate = index >= hidden && index < 2 * hidden
      sum[index] = (input?[index] ?? 0) + (resetAfter && isCandidate ? 0 : recurrent[index])
    }
    return UnsafePointer(sum)
  }
}
