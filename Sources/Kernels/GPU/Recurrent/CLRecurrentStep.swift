/// One step of a recurrent layer in one direction: MIL's `lstm`, `gru` and `rnn`. The products with the input have been
/// computed before.
package struct CLRecurrentStep: Sendable {
  /// The computation of a unit.
  package enum Cell: Sendable, Hashable {
    /// Gates i, f, o, z. The cell is clamped to `clip`.
    case lstm(gate: CLFunction, cell: CLFunction, output: CLFunction, clip: Float)
    /// Gates r, o, z. The reset gate multiplies the state, or, with `resetsAfter`, the recurrent product.
    case gru(gate: CLFunction, cell: CLFunction, resetsAfter: Bool)
    case plain(CLFunction)

    var gates: Int {
      switch self {
      case .lstm: 4
      case .gru: 3
      case .plain: 1
      }
    }
    /// Launches for each step.
    var launches: Int {
      if case .gru(_, _, resetsAfter: false) = self { return 2 }
      return 1
    }
  }

  /// Options that NeuralNetwork layers have in addition to MIL's operations.
  package struct Limits: Sendable, Hashable {
    /// Inputs of gates, and of the cell or candidate function, are clamped to this magnitude.
    package var input: Float?
    /// Whether the forget gate is one minus the input gate.
    package var isCoupled: Bool

    package init(input: Float? = nil, isCoupled: Bool = false) {
      (self.input, self.isCoupled) = (input, isCoupled)
    }
  }

  /// Sizes of a layer. The states of both directions are adjacent.
  package struct Layer: Sendable, Hashable {
    package var batch: Int
    package var hidden: Int
    /// The number of directions, and the index of the one to compute.
    package var passes: Int
    package var pass: Int

    package init(batch: Int, hidden: Int, passes: Int = 1, pass: Int = 0) {
      (self.batch, self.hidden, self.passes, self.pass) = (batch, hidden, passes, pass)
    }

    var stateCount: Int { batch * hidden * passes }
  }

  private enum Work: Sendable {
    case lstm(OpenCLLaunch)
    case gru(OpenCLLaunch)
    case gruInTwo(gates: OpenCLLaunch, candidate: OpenCLLaunch)
    case plain(OpenCLLaunch)
  }

  private let work: Work
  private let hasExtra: Bool

  /// `hasExtra`: whether there are peepholes or a bias of the recurrent part. `operation` names the operation in
  /// compile errors.
  package init(
    _ context: OpenCLContext, _ cell: Cell, _ layer: Layer, hasExtra: Bool, limits: Limits = Limits(),
    for operation: String = "lstm"
  ) throws {
    self.hasExtra = hasExtra
    let (batch, hidden) = (layer.batch, layer.hidden)
    guard batch > 0, hidden > 0, (1...2).contains(layer.passes), (0..<layer.passes).contains(layer.pass) else {
      throw KernelError(.openCLLaunch, "\(operation): \(layer) is no layer")
    }
    let gates = OpenCLParameter.floats("gates", try CLSizes.count([batch, cell.gates, hidden], operation))
    let weights = OpenCLParameter.floats("weights", try CLSizes.count([cell.gates, hidden, hidden], operation))
    let states = try CLSizes.count([batch, hidden, layer.passes], operation)
    guard states <= 1 << 30 else { throw KernelError(.openCLLaunch, "\(operation): \(layer) is too large") }
    let (before, after) = (OpenCLParameter.floats("before", states), OpenCLParameter.floats("after", states))
    let extra = OpenCLParameter.floats("extra", hasExtra ? 3 * hidden : 0)
    let sizes = OpenCLParameter.ints(
      [batch, hidden, hidden * layer.passes, hidden * layer.pass].map { Int32(clamping: $0) })
    let group = CLAlong.group(context.device, hidden)
    let source = try Self.source(cell, limits.input, operation)
    let definitions = [
      "GROUP": "\(group)", "EXTRA": hasExtra ? "1" : "0", "COUPLED": limits.isCoupled ? "1" : "0",
    ]
    func launch(_ name: String, _ parameters: [OpenCLParameter]) throws -> OpenCLLaunch {
      try context.kernel(name, of: source, definitions)
        .launch(parameters, global: [hidden * group, min(batch, 65_535)], local: [group, 1])
    }
    switch cell {
    case .lstm(_, _, _, let clip):
      let cells = OpenCLParameter.floats("cells", states)
      work = .lstm(
        try launch("lstm_step", [gates, before, weights, cells, after, extra, sizes, .float(clip)]))
    case .gru(_, _, resetsAfter: true):
      work = .gru(try launch("gru_step", [gates, before, weights, extra, after, sizes]))
    case .gru:
      let between = OpenCLParameter.floats("work", try CLSizes.count([2, batch, hidden], operation))
      work = .gruInTwo(
        gates: try launch("gru_gates", [gates, before, weights, extra, between, sizes]),
        candidate: try launch("gru_candidate", [gates, before, weights, extra, between, after, sizes]))
    case .plain: work = .plain(try launch("rnn_step", [gates, before, weights, after, sizes]))
    }
  }

  private static func source(_ cell: Cell, _ limit: Float?, _ operation: String) throws -> OpenCLSource {
    let functions: [(String, CLFunction)] =
      switch cell {
      case .lstm(let gate, let cell, let output, _): [("GATE", gate), ("CELL", cell), ("OUTPUT", output)]
      case .gru(let gate, let cell, _): [("GATE", gate), ("CELL", cell), ("OUTPUT", .identity)]
      case .plain(let function): [("GATE", .identity), ("CELL", function), ("OUTPUT", .identity)]
      }
    let lines = functions.map { name, function in
      guard let limit, name != "OUTPUT" else { return "#define \(name)(x) \(function.call)\n" }
      return "#define \(name)_LIMITED(x) \(function.call)\n"
        + "#define \(name)(x) \(name)_LIMITED(op_clip(x, -\(limit)f, \(limit)f))\n"
    }.joined()
    return .generated(lines + (try OpenCLSource.body("recurrent")), for: operation)
  }

  /// `gates` is the input part for this step, [batch, gates, hidden]. `before` and `after` are states, [batch, passes,
  /// hidden], and must not overlap. An LSTM updates `cells` in place. A GRU whose reset gate multiplies the state needs
  /// `work`, with space for two states.
  package func enqueue(
    on queue: OpenCLQueue, gates: OpenCLMemory, before: OpenCLMemory, weights: OpenCLMemory,
    extra: OpenCLMemory? = nil, cells: OpenCLMemory? = nil, work between: OpenCLMemory? = nil, after: OpenCLMemory
  ) throws {
    guard (extra != nil) == hasExtra else {
      throw KernelError(.openCLLaunch, "recurrent: peepholes or a bias are missing, or given and not expected")
    }
    let extra = extra ?? gates
    switch work {
    case .lstm(let launch): try launch.enqueue(on: queue, gates, before, weights, cells, after, extra)
    case .gru(let launch): try launch.enqueue(on: queue, gates, before, weights, extra, after)
    case .gruInTwo(let first, let second):
      try first.enqueue(on: queue, gates, before, weights, extra, between)
      try second.enqueue(on: queue, gates, before, weights, extra, between, after)
    case .plain(let launch): try launch.enqueue(on: queue, gates, before, weights, after)
    }
  }
}
