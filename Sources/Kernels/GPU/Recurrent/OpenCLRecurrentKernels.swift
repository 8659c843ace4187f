import MIL

/// OpenCL kernels for recurrent layers: one product for the inputs of all steps, then step by step.
enum OpenCLRecurrentKernels {
  static let all: [KernelImplementation] = [
    KernelImplementation("lstm.opencl", for: "lstm", on: .openCL) { problem in
      let call = problem.invocation
      return try OpenCLRecurrence(
        problem,
        .lstm(
          gate: recurrentFunction("recurrent_activation", "sigmoid", call),
          cell: recurrentFunction("cell_activation", "tanh", call),
          output: recurrentFunction("activation", "tanh", call), clip: Float(call.double("clip", default: .infinity))),
        bias: "bias", extra: "peephole"
      ).candidate
    },
    KernelImplementation("gru.opencl", for: "gru", on: .openCL) { problem in
      let call = problem.invocation
      return try OpenCLRecurrence(
        problem,
        .gru(
          gate: recurrentFunction("recurrent_activation", "sigmoid", call),
          cell: recurrentFunction("activation", "tanh", call),
          resetsAfter: call.bool("reset_after", default: false)),
        bias: "input_bias", extra: "bias"
      ).candidate
    },
    KernelImplementation("rnn.opencl", for: "rnn", on: .openCL) { problem in
      try OpenCLRecurrence(
        problem, .plain(recurrentFunction("activation", "tanh", problem.invocation)), bias: "bias", extra: nil
      ).candidate
    },
    KernelImplementation("nn.lstm.opencl", for: "nn.lstm", on: .openCL) { problem in
      let call = problem.invocation
      return try OpenCLRecurrence(
        problem,
        .lstm(
          gate: layerFunction("recurrent_activation", call), cell: layerFunction("cell_activation", call),
          output: layerFunction("activation", call), clip: Float(call.double("clip", default: 50))),
        bias: "bias", extra: "peephole",
        limits: CLRecurrentStep.Limits(input: 50, isCoupled: call.bool("coupled_gates", default: false))
      ).candidate
    },
    KernelImplementation("nn.gru.opencl", for: "nn.gru", on: .openCL) { problem in
      try OpenCLRecurrence(
        problem,
        .gru(
          gate: layerFunction("recurrent_activation", problem.invocation),
          cell: layerFunction("activation", problem.invocation), resetsAfter: false),
        bias: "bias", extra: nil, limits: CLRecurrentStep.Limits(input: 50)
      ).candidate
    },
    KernelImplementation("nn.rnn.opencl", for: "nn.rnn", on: .openCL) { problem in
      try OpenCLRecurrence(
        problem, .plain(layerFunction("activation", problem.invocation)), bias: "bias", extra: nil,
        limits: CLRecurrentStep.Limits(input: 50)
      ).candidate
    },
  ]

  private static func layerFunction(_ name: String, _ call: Invocation) throws -> CLFunction {
    let activation = try FusedActivation(layer: name, call)
    return try Refusal.onLaunchError { try CLFunction(activation) }
  }

  private static func recurrentFunction(_ name: String, _ fallback: String, _ call: Invocation) throws -> CLFunction {
    try Refusal.onLaunchError { try CLFunction(FusedActivation(recurrent: name, default: fallback, call)) }
  }
}

/// A recurrent operation as its OpenCL kernel sees it.
private struct OpenCLRecurrence: Sendable {
  /// The slots of one direction.
  private struct Pass: Sendable {
    let input: Int
    let recurrent: Int
    let bias: Int?
    let extra: Int?
  }

  private let context: OpenCLContext
  private let cell: CLRecurrentStep.Cell
  private let passes: [Pass]
  private let steps: Int
  private let batch: Int
  private let inputs: Int
  private let hidden: Int
  private let isReverse: Bool
  private let keepsAll: Bool
  private let slots: (x: Int, h: Int, c: Int?)
  private let label: String
  private let limits: CLRecurrentStep.Limits

  /// `bias` is added to the product with the inputs. `extra` is the operand of the steps besides the weights.
  init(
    _ problem: KernelProblem, _ cell: CLRecurrentStep.Cell, bias: String, extra: String?,
    limits: CLRecurrentStep.Limits = .init()
  ) throws {
    self.limits = limits
    for operand in problem.operands where operand.type.scalar.isFloat && operand.type.rank > 0 {
      try problem.requireScalar(.float32, of: [operand.parameter])
    }
    context = try problem.requireOpenCL()
    self.cell = cell
    let sizes = try problem.sizes("x")
    (steps, batch, inputs) = (sizes[0], sizes[1], sizes[2])
    hidden = try problem.sizes("weight_hh")[1]
    guard steps > 0, batch > 0, inputs > 0, hidden > 0 else { throw Refusal("an empty tensor") }
    let direction = try Recurrent.direction(problem.invocation)
    isReverse = direction == .reverse
    keepsAll = try problem.invocation.bool("output_sequence", default: false)
    passes = try (direction == .bidirectional ? ["", "_back"] : [""]).map { suffix in
      Pass(
        input: try problem.slot("weight_ih" + suffix), recurrent: try problem.slot("weight_hh" + suffix),
        bias: problem.optionalSlot(bias + suffix), extra: extra.flatMap { problem.optionalSlot($0 + suffix) })
    }
    slots = (try problem.slot("x"), try problem.slot("initial_h"), problem.optionalSlot("initial_c"))
    label = problem.invocation.operation.label
    let floats = [steps, batch, cell.gates, hidden].reduce((1, false)) { total, size in
      let (product, overflow) = total.0.multipliedReportingOverflow(by: size)
      return (product, total.1 || overflow)
    }
    guard !floats.1, floats.0 <= 1 << 28 else { throw Refusal("the gates of all steps take more than a gigabyte") }
  }

  /// Limit for the launches. Drivers block the enqueueing thread beyond some number of launches, and it cannot be
  /// cancelled. Each launch also costs the host more than a small step costs on the CPU.
  private static let mostLaunches = 4096

  private var gateCount: Int { batch * cell.gates * hidden }
  private var stateCount: Int { batch * hidden * passes.count }
  private var product: CLMatrixProduct.Shape {
    CLMatrixProduct.Shape(
      m: steps * batch, n: cell.gates * hidden, k: inputs, transposeB: true,
      bias: passes.contains { $0.bias != nil } ? .columns : .none)
  }

  /// Scratch memory: the gates of all steps, two alternating states unless the sequence is kept, and intermediate
  /// values of a GRU step.
  private var scratchFloats: [Int] {
    [steps * gateCount, keepsAll ? 0 : 2 * stateCount, cell.launches == 2 ? 2 * batch * hidden : 0]
  }

  var candidate: Candidate {
    get throws {
      guard passes.allSatisfy({ ($0.bias != nil) == (passes[0].bias != nil) }) else {
        throw Refusal("only one direction has a bias")
      }
      // Products, steps, last states and cells.
      let launches = passes.count * (1 + steps * cell.launches) + 3
      guard launches <= Self.mostLaunches else {
        throw Refusal("\(steps) steps are \(launches) launches one after the other, more than \(Self.mostLaunches)")
      }
      var candidate = Candidate(
        efficiency: 0.1, scratchBytes: scratchFloats.reduce(0, +) * 4,
        // Each step reads the recurrent weights again.
        work: Work(
          flops: 2 * Double(steps * batch * passes.count) * Double(cell.gates * hidden) * Double(inputs + hidden),
          bytes: 4 * Double(steps * passes.count)
            * (Double(cell.gates * hidden) * Double(hidden) + 2 * Double(gateCount))
        )
      ) { try prepared() }
      candidate.launches = launches
      return candidate
    }
  }

  private func prepared() throws -> PreparedKernel {
    let shape = product
    let way: CLMatrixProduct.Way = shape.refusal(of: .vector) == nil ? .vector : .tiles
    let products = try passes.map { _ in try CLMatrixProduct(context, shape, by: way, for: label) }
    let launches = try passes.enumerated().map { index, pass in
      try CLRecurrentStep(
        context, cell,
        CLRecurrentStep.Layer(batch: batch, hidden: hidden, passes: passes.count, pass: index),
        hasExtra: pass.extra != nil, limits: limits, for: label)
    }
    // Copies the last state of one direction from the states of both.
    let width = passes.count * hidden
    let views = passes.indices.map { CLMove.View(count: stateCount, start: $0 * hidden, strides: [width, 1]) }
    let moves = try views.map {
      try CLMove(context, elementSize: 4, sizes: [batch, hidden], from: $0, to: $0)
    }
    return .openCL { frame in
      guard let scratch = frame.scratch else {
        throw KernelError(.openCLLaunch, "\(label): there is no scratch memory")
      }
      if let cells = slots.c {
        try frame.queue.copy(frame.inputs[cells].range(byteOffset: 0, byteCount: stateCount * 4), to: frame.outputs[2])
      }
      for index in passes.indices {
        try run(frame, scratch, index, products[index], launches[index], moves[index])
      }
    }
  }

  private func run(
    _ frame: OpenCLFrame, _ scratch: OpenCLMemory, _ index: Int, _ product: CLMatrixProduct, _ step: CLRecurrentStep,
    _ move: CLMove
  ) throws {
    let pass = passes[index]
    let parts = (gates: steps * gateCount * 4, states: keepsAll ? 0 : 2 * stateCount * 4)
    let gates = try scratch.range(byteOffset: 0, byteCount: parts.gates)
    let between =
      cell.launches == 2
      ? try scratch.range(byteOffset: parts.gates + parts.states, byteCount: 2 * batch * hidden * 4) : nil
    /// The memory of the state after a step. It is adjacent to that of the other direction, at the step that both have
    /// read.
    func state(_ number: Int) throws -> OpenCLMemory {
      let bytes = stateCount * 4
      guard keepsAll else { return try scratch.range(byteOffset: parts.gates + number % 2 * bytes, byteCount: bytes) }
      return try frame.outputs[0].range(
        byteOffset: (index == 1 ? steps - 1 - number : number) * bytes, byteCount: bytes)
    }
    try product.enqueue(
      on: frame.queue, a: frame.inputs[slots.x], b: frame.inputs[pass.input],
      bias: pass.bias.map { frame.inputs[$0] }, c: gates)
    for number in 0..<steps {
      let source = isReverse || index == 1 ? steps - 1 - number : number
      try step.enqueue(
        on: frame.queue, gates: gates.range(byteOffset: source * gateCount * 4, byteCount: gateCount * 4),
        before: number == 0 ? frame.inputs[slots.h] : state(number - 1), weights: frame.inputs[pass.recurrent],
        extra: pass.extra.map { frame.inputs[$0] }, cells: slots.c == nil ? nil : frame.outputs[2], work: between,
        after: state(number))
    }
    try move.enqueue(on: frame.queue, x: state(steps - 1), y: frame.outputs[1])
    if !keepsAll { try move.enqueue(on: frame.queue, x: state(steps - 1), y: frame.outputs[0]) }
  }
}
