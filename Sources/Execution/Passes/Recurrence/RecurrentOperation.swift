import CoreMLKernels
import MIL

/// The recurrent operation of a cell over a sequence of matrices.
struct RecurrentOperation {
  let type: String
  /// The arguments except `x` and the initial states.
  let inputs: [String: [Binding]]
  /// The type of the matrices, which the input and the states must have too.
  let scalar: ScalarType
  /// The number of hidden units.
  let width: Int

  /// - Parameter weights: The store in which the matrices of the gates are assembled, once per model.
  init(_ cell: RecurrentCell, keepsSequence: Bool, _ weights: WeightStore) throws {
    var inputs: [String: Binding] = ["direction": .string("forward"), "output_sequence": .bool(keepsSequence)]
    let gates: [RecurrentGate]
    switch cell {
    case .rnn(let gate, let activation):
      (type, gates) = ("rnn", [gate])
      try Self.add(activation, "activation", to: &inputs)
    case .gru(let cell):
      (type, gates) = ("gru", [cell.reset, cell.candidate, cell.update])
      try Self.add(cell.gateActivation, "recurrent_activation", to: &inputs)
      try Self.add(cell.activation, "activation", to: &inputs)
    case .lstm(let cell):
      (type, gates) = ("lstm", cell.gates)
      try Self.add(cell.gateActivation, "recurrent_activation", to: &inputs)
      try Self.add(cell.cellActivation, "cell_activation", to: &inputs)
      try Self.add(cell.activation, "activation", to: &inputs)
      if let clip = cell.clip { inputs["clip"] = .float(Float(clip)) }
    }
    let scalars = Set(gates.flatMap { [$0.input, $0.recurrent] }.compactMap { $0?.matrix.weight.type.scalar })
    guard scalars.count == 1, let scalar = scalars.first, scalar == .float32 || scalar == .float16 else {
      throw LoopRefusal("its weights have several types")
    }
    let width = gates[0].width
    guard gates.allSatisfy({ $0.width == width && $0.recurrent?.matrix.columns.count ?? width == width }),
      let columns = gates.compactMap({ $0.input?.matrix.columns.count }).first
    else { throw LoopRefusal("its gates have several widths") }
    inputs["weight_ih"] = .tensor(try Self.stack(gates.map(\.input), width, columns, scalar, weights))
    inputs["weight_hh"] = .tensor(try Self.stack(gates.map(\.recurrent), width, width, scalar, weights))
    // Sums of biases may not be representable in fp16.
    let biases = gates.flatMap(\.bias)
    if case .gru(let cell) = cell, let resetBias = cell.resetBias {
      let none = Array(repeating: 0.0, count: width)
      inputs["reset_after"] = .bool(true)
      inputs["input_bias"] = .tensor(try Tensor(.float32, shape: [biases.count], doubles: biases))
      inputs["bias"] = .tensor(try Tensor(.float32, shape: [biases.count], doubles: none + resetBias + none))
    } else {
      inputs["bias"] = .tensor(try Tensor(.float32, shape: [biases.count], doubles: biases))
    }
    if gates.contains(where: { $0.peephole != nil }) {
      let peepholes = gates.prefix(3).flatMap { $0.peephole ?? Array(repeating: 0, count: width) }
      inputs["peephole"] = .tensor(try Tensor(.float32, shape: [peepholes.count], doubles: peepholes))
    }
    self.inputs = inputs.mapValues { [$0] }
    (self.scalar, self.width) = (scalar, width)
  }

  private static func add(
    _ activation: FusedActivation, _ argument: String, to inputs: inout [String: Binding]
  ) throws {
    switch activation.name {
    case .tanh, .sigmoid, .relu: inputs[argument] = .string(activation.name.rawValue)
    case .sigmoidHard:
      inputs[argument] = .string(activation.name.rawValue)
      // MIL's default slope needs no argument.
      if Float(activation.alpha) != 0.2 { inputs[argument + "_alpha"] = .float(Float(activation.alpha)) }
    default: throw LoopRefusal("'\(activation.name.rawValue)' is no activation of a recurrent operation")
    }
  }

  /// Stacks matrices of [rows, columns] along the rows. A missing matrix is zero.
  private static func stack(
    _ terms: [CellSum.MatrixTerm?], _ rows: Int, _ columns: Int, _ scalar: ScalarType, _ weights: WeightStore
  ) throws -> Tensor {
    for case let term? in terms where term.matrix.rows.count != rows || term.matrix.columns.count != columns {
      throw LoopRefusal("its gates have several widths")
    }
    // The product of an fp16 weight and a factor is usually not representable in fp16.
    guard scalar == .float32 || terms.allSatisfy({ $0.map { abs($0.factor) == 1 } ?? true }) else {
      throw LoopRefusal("its fp16 weights are scaled")
    }
    let type = try TensorType(scalar, [terms.count * rows, columns]).validated("the weights of a loop")
    let size = scalar.bitWidth / 8
    let parameters = terms.flatMap { term in
      term.map { $0.matrix.key + [1, Int(truncatingIfNeeded: $0.factor.bitPattern)] } ?? [0]
    }
    let recipe = PackingRecipe("recurrent.gates", parameters + [rows, columns], byteCount: type.byteCount ?? 0)
    let sources = terms.compactMap { $0?.matrix.weight }
    return try weights.joined(sources, recipe, scalar, shape: [terms.count * rows, columns]) { memory in
      guard let target = memory.baseAddress else { return }
      for case (let index, let term?) in terms.enumerated() {
        let place = target + index * rows * columns * size
        term.matrix.copy(to: place)
        guard term.factor != 1 else { continue }
        let part = try Tensor(
          scalar, shape: [rows, columns],
          storage: TensorStorage(borrowing: place, byteCount: rows * columns * size, owner: nil))
        let scaled = try Tensor(scalar, shape: [rows, columns], doubles: part.doubles().map { $0 * term.factor })
        scaled.withUnsafeBytes { bytes in
          if let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
        }
      }
    }
  }
}
