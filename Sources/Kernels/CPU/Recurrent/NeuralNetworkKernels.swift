import CKernels
import MIL

/// The recurrent layers of NeuralNetwork models in fp32, based on the matrix products of `RecurrentProblem`.
enum NeuralNetworkKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("nn.lstm.packed", for: "nn.lstm") { problem in
      let call = problem.invocation
      return try PackedRecurrence(
        problem,
        .lstm(
          FusedActivation(layer: "recurrent_activation", call), FusedActivation(layer: "cell_activation", call),
          FusedActivation(layer: "activation", call), limit: 50, clip: Float(call.double("clip", default: 50)),
          isCoupled: call.bool("coupled_gates", default: false))
      ).candidate
    },
    KernelImplementation("nn.gru.packed", for: "nn.gru") { problem in
      let call = problem.invocation
      return try PackedRecurrence(
        problem,
        .gru(
          FusedActivation(layer: "recurrent_activation", call), FusedActivation(layer: "activation", call), limit: 50)
      ).candidate
    },
    KernelImplementation("nn.rnn.packed", for: "nn.rnn") { problem in
      try PackedRecurrence(problem, .plain(FusedActivation(layer: "activation", problem.invocation), limit: 50))
        .candidate
    },
    KernelImplementation("nn.lstm.cell", for: "nn.lstm") { try NetworkLSTMKernel($0).candidate },
    KernelImplementation("nn.gru.cell", for: "nn.gru") { try NetworkGRUKernel($0).candidate },
    KernelImplementation("nn.rnn.cell", for: "nn.rnn") { problem in
      let activation = try LayerActivation("activation", problem)
      return try RecurrentKernels.plainRecurrence(problem) { activation.applyLimited($0, $1, $2) }
    },
  ]
}

/// An activation of a layer whose input is clamped to -50 ... 50 first.
struct LayerActivation: Sendable {
  private let op: ck_unary_op
  private let alpha: Float
  private let beta: Float

  init(_ argument: String, _ problem: KernelProblem) throws {
    let unary = try FusedActivation(layer: argument, problem.invocation).unary
    (op, alpha, beta) = (unary.op, unary.alpha, unary.beta)
  }

  /// target = activation(clamp(source)). `source` is clamped in place.
  func applyLimited(_ source: UnsafeMutablePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ count: Int) {
    ck_unary_f32(CK_UNARY_CLIP, -50, 50, source, source, count)
    ck_unary_f32(op, alpha, beta, source, target, count)
  }

  func apply(_ source: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>, _ count: Int) {
    ck_unary_f32(op, alpha, beta, source, target, count)
  }
}

/// `nn.lstm`: gates i, f, o, z.
private struct NetworkLSTMKernel: Sendable {
  private let layer: RecurrentProblem
  private let slots: (h: Int, c: Int)
  private let matrices: [RecurrentMatrix]
  private let bias: Int?
  private let peephole: Int?
  private let isCoupled: Bool
  private let clip: Float
  private let gate: LayerActivation
  private let cell: LayerActivation
  private let output: LayerActivation

  init(_ problem: KernelProblem) throws {
    layer = try RecurrentProblem(problem, gates: 4)
    slots = (try problem.slot("initial_h"), try problem.slot("initial_c"))
    matrices = [try RecurrentMatrix(problem, "weight_ih"), try layer.recurrent(problem, "weight_hh")]
    (bias, peephole) = (problem.optionalSlot("bias"), problem.optionalSlot("peephole"))
    isCoupled = try problem.invocation.bool("coupled_gates", default: false)
    clip = Float(try problem.invocation.double("clip", default: 50))
    gate = try LayerActivation("recurrent_activation", problem)
    cell = try LayerActivation("cell_activation", problem)
    output = try LayerActivation("activation", problem)
  }

  var candidate: Candidate {
    let floats = (layer.steps + 1) * layer.gateFloats + 2 * layer.stateFloats
    return layer.candidate(floats: floats, matrices) { run($0, $1[0], $1[1], $2) }
  }

  private func run(
    _ frame: CPUFrame, _ input: RecurrentMatrix, _ recurrent: RecurrentMatrix, _ gates: UnsafeMutablePointer<Float>
  ) {
    let (hidden, width) = (layer.hidden, 4 * layer.hidden)
    let sums = gates + layer.steps * layer.gateFloats
    let h = sums + layer.gateFloats
    let c = h + layer.stateFloats
    let peephole = peephole.map { frame.input($0, as: Float.self) }
    layer.project(frame, input, bias: bias.map { frame.input($0) }, to: gates)
    layer.load(frame.input(slots.h), pass: 0, to: h)
    layer.load(frame.input(slots.c), pass: 0, to: c)
    for step in 0..<layer.steps {
      layer.recur(
        frame, recurrent, count: width, state: h,
        base: gates + layer.source(step, pass: 0) * layer.gateFloats, out: sums, ld: width)
      for item in 0..<layer.batch {
        advance(sums + item * width, peephole, c + item * hidden, h + item * hidden)
      }
      layer.store(frame, step: step, pass: 0, h)
    }
    layer.copy(c, to: frame.output(2, as: Float.self), hidden)
  }

  /// One step of one batch item, from the accumulators of its gates.
  private func advance(
    _ g: UnsafeMutablePointer<Float>, _ peephole: UnsafePointer<Float>?, _ c: UnsafeMutablePointer<Float>,
    _ h: UnsafeMutablePointer<Float>
  ) {
    let n = layer.hidden
    let (i, f, o, z) = (g, g + n, g + 2 * n, g + 3 * n)
    if let peephole {
      for unit in 0..<2 * n { g[unit] += peephole[unit] * c[unit < n ? unit : unit - n] }
    }
    gate.applyLimited(i, i, isCoupled ? n : 2 * n)
    cell.applyLimited(z, z, n)
    for unit in 0..<n {
      let new = (isCoupled ? 1 - i[unit] : f[unit]) * c[unit] + i[unit] * z[unit]
      c[unit] = new > clip ? clip : new < -clip ? -clip : new
    }
    if let peephole { for unit in 0..<n { o[unit] += peephole[2 * n + unit] * c[unit] } }
    gate.applyLimited(o, o, n)
    output.apply(c, h, n)
    for unit in 0..<n { h[unit] *= o[unit] }
  }
}

/// `nn.gru`: gates r, o, z.
private struct NetworkGRUKernel: Sendable {
  private let layer: RecurrentProblem
  private let initial: Int
  private let matrices: [RecurrentMatrix]
  private let bias: Int?
  private let gate: LayerActivation
  private let activation: LayerActivation

  init(_ problem: KernelProblem) throws {
    layer = try RecurrentProblem(problem, gates: 3)
    initial = try problem.slot("initial_h")
    matrices = [try RecurrentMatrix(problem, "weight_ih"), try layer.recurrent(problem, "weight_hh")]
    bias = problem.optionalSlot("bias")
    gate = try LayerActivation("recurrent_activation", problem)
    activation = try LayerActivation("activation", problem)
  }

  var candidate: Candidate {
    let floats = (layer.steps + 1) * layer.gateFloats + 2 * layer.stateFloats
    return layer.candidate(floats: floats, matrices) { run($0, $1[0], $1[1], $2) }
  }

  private func run(
    _ frame: CPUFrame, _ input: RecurrentMatrix, _ weights: RecurrentMatrix, _ gates: UnsafeMutablePointer<Float>
  ) {
    let (n, width) = (layer.hidden, 3 * layer.hidden)
    let sums = gates + layer.steps * layer.gateFloats
    let h = sums + layer.gateFloats
    let reset = h + layer.stateFloats
    layer.project(frame, input, bias: bias.map { frame.input($0) }, to: gates)
    layer.load(frame.input(initial), pass: 0, to: h)
    for step in 0..<layer.steps {
      let base = gates + layer.source(step, pass: 0) * layer.gateFloats
      // r and z are not adjacent, because o is between them. Each has its own part of the gates and recurrent weights.
      for part in stride(from: 0, through: 2, by: 2) {
        layer.recur(
          frame, weights, from: part * n, count: n, state: h, base: base + part * n, out: sums + part * n,
          ld: width)
      }
      for item in 0..<layer.batch {
        let (r, z) = (sums + item * width, sums + item * width + 2 * n)
        gate.applyLimited(r, r, n)
        gate.applyLimited(z, z, n)
        for unit in 0..<n { reset[item * n + unit] = r[unit] * h[item * n + unit] }
      }
      layer.recur(frame, weights, from: n, count: n, state: reset, base: base + n, out: sums + n, ld: width)
      for item in 0..<layer.batch {
        let (o, z) = (sums + item * width + n, sums + item * width + 2 * n)
        activation.applyLimited(o, o, n)
        let state = h + item * n
        for unit in 0..<n { state[unit] = (1 - z[unit]) * o[unit] + z[unit] * state[unit] }
      }
      layer.store(frame, step: step, pass: 0, h)
    }
  }
}
