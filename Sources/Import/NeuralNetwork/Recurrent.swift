import CoreMLSpec
import MIL

/// `simpleRecurrent`, `gru`, `uniDirectionalLSTM`, `biDirectionalLSTM`.
///
/// x is [Seq, Batch, C, 1, 1]. Further inputs are the initial states, [1, Batch, H, 1, 1], or zeros if they are not
/// given. Further outputs are the final states.
struct RecurrentLayers {
  let graph: NetworkGraph

  func simpleRecurrent(_ params: Specification.SimpleRecurrentLayerParams) throws {
    let sequence = try sequence(params.inputVectorSize, params.outputVectorSize)
    var arguments: [String: Binding] = [
      "x": .name(sequence.x), "initial_h": .name(try state(1, sequence)),
      "direction": direction(try params.reverseInput), "output_sequence": .bool(try params.sequenceOutput),
      "weight_ih": try gates([params.weightMatrix], [sequence.hidden, sequence.inputs], "weightMatrix"),
      "weight_hh": try gates([params.recursionMatrix], [sequence.hidden, sequence.hidden], "recursionMatrix"),
    ]
    if try params.hasBiasVector { arguments["bias"] = try gates([params.biasVector], [sequence.hidden], "biasVector") }
    try add(graph.required(params.activation, "activation"), as: "activation", to: &arguments)
    try setSequence(graph.emit("nn.rnn", all: arguments.mapValues { [$0] }), sequence)
  }

  func gru(_ params: Specification.GRULayerParams) throws {
    let sequence = try sequence(params.inputVectorSize, params.outputVectorSize)
    let (hidden, inputs) = (sequence.hidden, sequence.inputs)
    var arguments: [String: Binding] = [
      "x": .name(sequence.x), "initial_h": .name(try state(1, sequence)),
      "direction": direction(try params.reverseInput), "output_sequence": .bool(try params.sequenceOutput),
      "weight_ih": try gates(
        [params.resetGateWeightMatrix, params.outputGateWeightMatrix, params.updateGateWeightMatrix], [hidden, inputs],
        "WeightMatrix"),
      "weight_hh": try gates(
        [params.resetGateRecursionMatrix, params.outputGateRecursionMatrix, params.updateGateRecursionMatrix],
        [hidden, hidden], "RecursionMatrix"),
    ]
    if try params.hasBiasVectors {
      arguments["bias"] = try gates(
        [params.resetGateBiasVector, params.outputGateBiasVector, params.updateGateBiasVector], [hidden], "BiasVector")
    }
    try add(activations(params.activations, ["recurrent_activation", "activation"]), to: &arguments)
    try setSequence(graph.emit("nn.gru", all: arguments.mapValues { [$0] }), sequence)
  }

  func uniDirectionalLSTM(_ params: Specification.UniDirectionalLSTMLayerParams) throws {
    let sequence = try sequence(params.inputVectorSize, params.outputVectorSize)
    let results = try lstm(
      sequence, params.params, params.weightParams, params.activations, isReverse: params.reverseInput, states: 1)
    try setSequence(results, sequence)
  }

  /// Runs one layer forward and one backward, and concatenates their outputs along the channels. The outputs of the
  /// backward layer are stored at the steps to which they belong.
  func biDirectionalLSTM(_ params: Specification.BiDirectionalLSTMLayerParams) throws {
    let sequence = try sequence(params.inputVectorSize, params.outputVectorSize)
    let weights = Array(try params.weightParams)
    guard weights.count == 2 else {
      throw graph.error(.invalidModel, "'weightParams' has \(weights.count) entries, expected 2")
    }
    let forward = try lstm(
      sequence, params.params, weights[0], params.activationsForwardLSTM, isReverse: false, states: 1)
    var backward = try lstm(
      sequence, params.params, weights[1], params.activationsBackwardLSTM, isReverse: true, states: 3)
    if try params.params?.sequenceOutput ?? false {
      backward[0] = try graph.emit("reverse", ["x": .name(backward[0]), "axes": .ints([0])])
    }
    let both = try graph.concat([forward[0], backward[0]], axis: 2)
    try setSequence([both] + forward.dropFirst() + backward.dropFirst(), sequence)
  }

  // MARK: cells

  private func lstm(
    _ sequence: RecurrentInput, _ params: Specification.LSTMParams?, _ weights: Specification.LSTMWeightParams?,
    _ activations: Views<Specification.ActivationParams>, isReverse: Bool, states: Int
  ) throws -> [String] {
    let params = try graph.required(params, "params")
    let weights = try graph.required(weights, "weightParams")
    let (hidden, inputs) = (sequence.hidden, sequence.inputs)
    let isCoupled = try params.coupledInputAndForgetGate
    let clip = try params.cellClipThreshold
    var arguments: [String: Binding] = [
      "x": .name(sequence.x), "initial_h": .name(try state(states, sequence)),
      "initial_c": .name(try state(states + 1, sequence)), "direction": direction(isReverse),
      "output_sequence": .bool(try params.sequenceOutput), "coupled_gates": .bool(isCoupled),
      "clip": .float(clip == 0 ? 50 : clip),
      "weight_ih": try gates(
        [
          weights.inputGateWeightMatrix, weights.forgetGateWeightMatrix, weights.outputGateWeightMatrix,
          weights.blockInputWeightMatrix,
        ], [hidden, inputs], "WeightMatrix", unused: isCoupled ? 1 : nil),
      "weight_hh": try gates(
        [
          weights.inputGateRecursionMatrix, weights.forgetGateRecursionMatrix, weights.outputGateRecursionMatrix,
          weights.blockInputRecursionMatrix,
        ], [hidden, hidden], "RecursionMatrix", unused: isCoupled ? 1 : nil),
    ]
    // `forgetBias` adds nothing: Core ML ignores it, despite the comment in the format (docs/internals/decisions.md).
    if try params.hasBiasVectors {
      arguments["bias"] = try gates(
        [
          weights.inputGateBiasVector, weights.forgetGateBiasVector, weights.outputGateBiasVector,
          weights.blockInputBiasVector,
        ], [hidden], "BiasVector", unused: isCoupled ? 1 : nil)
    }
    if try params.hasPeepholeVectors {
      arguments["peephole"] = try gates(
        [weights.inputGatePeepholeVector, weights.forgetGatePeepholeVector, weights.outputGatePeepholeVector],
        [hidden], "PeepholeVector", unused: isCoupled ? 1 : nil)
    }
    try add(
      self.activations(activations, ["recurrent_activation", "cell_activation", "activation"]), to: &arguments)
    return try graph.emit("nn.lstm", all: arguments.mapValues { [$0] })
  }

  private func direction(_ isReverse: Bool) -> Binding { .string(isReverse ? "reverse" : "forward") }

  /// Concatenates the matrices or vectors of all gates. The gate `unused` is zero if it is missing.
  private func gates(
    _ all: [Specification.WeightParams?], _ shape: [Int], _ name: String, unused: Int? = nil
  ) throws -> Binding {
    let values = try tensors(all, shape, name, unused: unused)
    guard try all.contains(where: graph.weights.isParameter) else {
      var whole = shape
      whole[0] *= all.count
      return .tensor(Tensor(float32: values.flatMap { $0 }, shape: whole))
    }
    let parts = try zip(all, values).enumerated().map { index, gate in
      let part = Tensor(float32: gate.1, shape: shape)
      return try graph.weights.isParameter(gate.0)
        ? graph.weights.parameter(part, "\(name) \(index)")
        : graph.builder.constant(.tensor(part), named: graph.layer.name)
    }
    return .name(try graph.concat(parts))
  }

  private func tensors(
    _ all: [Specification.WeightParams?], _ shape: [Int], _ name: String, unused: Int? = nil
  ) throws -> [[Float]] {
    try all.enumerated().map { index, weights in
      if index == unused, try weights.map({ try LayerWeights.count(of: $0) }) ?? 0 == 0 {
        return Array(repeating: 0, count: shape.reduce(1, *))
      }
      return try graph.weights.tensor(weights, shape, name).floats()
    }
  }

  // MARK: sequences and states

  /// The input of a recurrent layer as [Seq, Batch, C].
  struct RecurrentInput {
    var x: String
    var inputs: Int
    var hidden: Int
    /// The rank of the outputs: 5, or 3 like the input.
    var rank: Int
  }

  private func sequence(_ inputs: UInt64, _ outputs: UInt64) throws -> RecurrentInput {
    let x = try graph.input(0)
    let rank = try graph.rank(x)
    let inputs = try graph.int(inputs, "inputVectorSize")
    let hidden = try graph.int(outputs, "outputVectorSize")
    guard rank == 5 || rank == 3 else {
      throw graph.error(.invalidModel, "takes a sequence of shape (Seq, Batch, C, 1, 1), the input has rank \(rank)")
    }
    // Products of these sizes below are sizes of weights in the file; this check prevents an overflow.
    guard inputs >= 1, hidden >= 1, TensorType.elementCount([4, hidden, max(inputs, hidden)]) != nil else {
      throw graph.error(.invalidModel, "has the sizes \(inputs) and \(hidden)")
    }
    if rank == 3 { return RecurrentInput(x: x, inputs: inputs, hidden: hidden, rank: 3) }
    let shape = try graph.concat([graph.sizes(of: x, 0..<2), graph.constant([inputs])])
    return RecurrentInput(
      x: try graph.emit("reshape", ["x": .name(x), "shape": .name(shape)]), inputs: inputs, hidden: hidden, rank: 5)
  }

  /// An initial state as [Batch, H].
  private func state(_ index: Int, _ sequence: RecurrentInput) throws -> String {
    let shape = try graph.concat([graph.sizes(of: sequence.x, 1..<2), graph.constant([sequence.hidden])])
    if index < graph.layer.inputs.count {
      let given = try graph.input(index)
      let batch = try graph.builder.tensorType(of: sequence.x).shape[1].value
      let count = try graph.builder.tensorType(of: given).elementCount
      // There are states for more sequences than the batch, or for a number known only at run time. The first ones are
      // used.
      let isNoMore = batch.flatMap { batch in count.map { $0 / sequence.hidden <= batch } } ?? false
      if !isNoMore {
        let rows = try graph.emit("reshape", ["x": .name(given), "shape": .ints([-1, sequence.hidden])])
        return try graph.emit("slice_by_size", ["x": .name(rows), "begin": .ints([0, 0]), "size": .name(shape)])
      }
      return try graph.emit("reshape", ["x": .name(given), "shape": .name(shape)])
    }
    return try graph.emit("fill", ["shape": .name(shape), "value": .float(0)])
  }

  /// Sets the outputs: the sequence, [Seq, Batch, H], and the states, [Batch, H], with the axes of blobs.
  private func setSequence(_ results: [String], _ sequence: RecurrentInput) throws {
    for (index, result) in results.enumerated() where index < graph.layer.outputs.count {
      var axes = index == 0 ? [] : [0]
      if sequence.rank == 5 { axes += [3, 4] }
      try graph.set(
        index, axes.isEmpty ? result : graph.emit("expand_dims", ["x": .name(result), "axes": .ints(axes)]))
    }
  }

  // MARK: activations

  private func activations(
    _ all: Views<Specification.ActivationParams>, _ names: [String]
  ) throws -> [(String, Specification.ActivationParams)] {
    let all = Array(all)
    guard all.count == names.count else {
      throw graph.error(.invalidModel, "has \(all.count) activations, expected \(names.count)")
    }
    return Array(zip(names, all))
  }

  private func add(_ all: [(String, Specification.ActivationParams)], to arguments: inout [String: Binding]) throws {
    for (name, params) in all { try add(params, as: name, to: &arguments) }
  }

  /// Files omit the parameters of recurrent activations. An empty linear activation is the identity, an empty hard
  /// sigmoid is 0.2 x + 0.5, an empty scaled tanh is tanh.
  private func add(
    _ params: Specification.ActivationParams, as name: String, to arguments: inout [String: Binding]
  ) throws {
    func put(_ word: String, _ alpha: Float = 0, _ beta: Float = 0) {
      arguments[name] = .string(word)
      arguments[name + "_alpha"] = .float(alpha)
      arguments[name + "_beta"] = .float(beta)
    }
    switch try params.nonlinearityType {
    case .linear(let p):
      let isEmpty = try p.alpha == 0 && p.beta == 0
      put("linear_activation", isEmpty ? 1 : try p.alpha, try p.beta)
    case .sigmoidHard(let p):
      let isEmpty = try p.alpha == 0 && p.beta == 0
      put("sigmoid_hard", isEmpty ? 0.2 : try p.alpha, isEmpty ? 0.5 : try p.beta)
    case .scaledTanh(let p):
      let isEmpty = try p.alpha == 0 && p.beta == 0
      put("scaled_tanh", isEmpty ? 1 : try p.alpha, isEmpty ? 1 : try p.beta)
    case .sigmoid: put("sigmoid")
    case .tanh: put("tanh")
    case .reLU: put("relu")
    case .leakyReLU(let p): put("leaky_relu", try p.alpha)
    case .thresholdedReLU(let p): put("thresholded_relu", try p.alpha)
    case .elu(let p): put("elu", try p.alpha)
    case .softsign: put("softsign")
    case .softplus: put("softplus")
    case .pReLU, .parametricSoftplus, nil:
      throw graph.error(.unsupported, "'\(name)' is no activation of a recurrent layer")
    }
  }
}
