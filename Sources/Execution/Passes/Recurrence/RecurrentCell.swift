import MIL

/// The computation of a loop iteration, as a cell for which MIL has an operation.
enum RecurrentCell {
  /// h' = activation(gate)
  case rnn(RecurrentGate, FusedActivation)
  /// h' = (1 - z) · o + z · h
  case gru(GRUCell)
  case lstm(LSTMCell)
}

/// The argument of an activation: a matrix product with the input, one with the state, a bias, and a peephole on the
/// cell's memory.
struct RecurrentGate {
  var input: CellSum.MatrixTerm?
  var recurrent: CellSum.MatrixTerm?
  var bias: [Double]
  /// The peephole weights, which multiply the memory of an LSTM.
  var peephole: [Double]?
  let width: Int

  /// The gate with all signs changed.
  var negated: RecurrentGate {
    var result = self
    result.input?.factor *= -1
    result.recurrent?.factor *= -1
    result.bias = bias.map { -$0 }
    return result
  }
}

struct GRUCell {
  let reset: RecurrentGate
  let update: RecurrentGate
  let candidate: RecurrentGate
  /// The bias of the recurrent product, if the reset gate multiplies that product. Nil if it multiplies the previous
  /// state.
  let resetBias: [Double]?
  let gateActivation: FusedActivation
  let activation: FusedActivation
}

struct LSTMCell {
  /// i, f, o, z.
  let gates: [RecurrentGate]
  let gateActivation: FusedActivation
  let cellActivation: FusedActivation
  let activation: FusedActivation
  let clip: Double?
}

/// Matches a cell in the expressions of a loop's next states.
struct CellReader {
  let atoms: CellAtoms
  /// The atom of the sequence element.
  let input: Int
  /// The atoms of the states.
  let states: [Int]

  /// The cell with one state.
  func cell(next: CellSum) throws -> RecurrentCell {
    let h = states[0]
    guard next.matrices.isEmpty else { throw LoopRefusal("the state is no result of an activation") }
    if next.products.count == 1, let key = next.products.keys.first, key.count == 1, next.uniform(key) == 1 {
      let (activation, sum) = try activated(key[0])
      return .rnn(try gate(sum, state: h), activation)
    }
    return .gru(try gru(next, h))
  }

  /// The cell with two states. `h` and `c` are indices in `states` and `next`.
  func cell(next: [CellSum], h: Int, c: Int) throws -> RecurrentCell { .lstm(try lstm(next, h, c)) }

  // MARK: activations

  /// An activation that recurrent operations support, and its argument.
  private func activated(_ atom: Int) throws -> (FusedActivation, CellSum) {
    switch atoms[atom] {
    case .activated(let activation, let sum) where [.tanh, .sigmoid, .relu].contains(activation.name):
      return (FusedActivation(activation.name), sum)
    case .activated(let activation, let sum) where activation.name == .sigmoidHard:
      return try hardSigmoid(sum, slope: activation.alpha, offset: activation.beta)
    case .limited(low: 0, high: .infinity, let sum): return (FusedActivation(.relu), sum)
    case .limited(low: 0, high: 1, let sum):
      // The factor of the matrices is the slope.
      guard let slope = sum.matrices.first?.factor, slope > 0 else {
        throw LoopRefusal("a gate is no hard sigmoid of products")
      }
      var inner = sum
      inner.products = sum.products.mapValues { $0.map { $0 / slope } }
      for index in inner.matrices.indices { inner.matrices[index].factor /= slope }
      return try hardSigmoid(inner, slope: slope, offset: 0)
    default: throw LoopRefusal("an activation is none of a recurrent operation")
    }
  }

  /// `slope * sum + offset`, clamped to 0...1, as the hard sigmoid of recurrent operations, whose offset is 1/2.
  private func hardSigmoid(_ sum: CellSum, slope: Double, offset: Double) throws -> (FusedActivation, CellSum) {
    guard Float(slope).isNormal else { throw LoopRefusal("a hard sigmoid has no slope") }
    let activation = FusedActivation(.sigmoidHard, alpha: Double(Float(slope)), beta: 0.5)
    return (activation, offset == 0.5 ? sum : try sum.shifted((offset - 0.5) / slope))
  }

  // MARK: gates

  /// A sum of input product, state product and bias. With `memory`, a vector times the memory is allowed too.
  private func gate(
    _ sum: CellSum, state: Int, memory: CellSum? = nil
  ) throws -> RecurrentGate {
    var products = sum.products
    let bias = products.removeValue(forKey: []) ?? [0]
    var result = RecurrentGate(bias: CellSum.spread(bias, sum.width), width: sum.width)
    if let memory, !products.isEmpty {
      guard products.keys.count == memory.products.keys.count, let vector = products.values.first,
        products.keys.allSatisfy({ memory.uniform($0) == 1 }),
        products.values.allSatisfy({ CellSum.spread($0, sum.width) == CellSum.spread(vector, sum.width) })
      else { throw LoopRefusal("a gate reads more than a peephole") }
      result.peephole = CellSum.spread(vector, sum.width)
      products = [:]
    }
    guard products.isEmpty else { throw LoopRefusal("a gate reads more than its input and its state") }
    for term in sum.matrices {
      guard term.scaledBy.isEmpty else { throw LoopRefusal("a gate is scaled") }
      if term.source == [input], result.input == nil {
        result.input = term
      } else if term.source == [state], result.recurrent == nil {
        result.recurrent = term
      } else {
        throw LoopRefusal("a gate has more products than two")
      }
    }
    return result
  }

  // MARK: GRU

  private func gru(_ next: CellSum, _ h: Int) throws -> GRUCell {
    // o - z o + z h, or with 1 - z in place of z: h - z h + z o.
    guard next.products.count == 3, next.products.keys.allSatisfy({ 1...2 ~= $0.count }),
      let single = next.products.keys.first(where: { $0.count == 1 })?[0], next.uniform([single]) == 1,
      let minus = next.products.keys.first(where: { next.uniform($0) == -1 && $0.contains(single) }),
      let plus = next.products.keys.first(where: { $0.count == 2 && next.uniform($0) == 1 }),
      let z = other(minus, than: single), plus.contains(z), let second = other(plus, than: z)
    else { throw LoopRefusal("the state is no mean of two values") }
    let isComplement = single == h
    guard isComplement || second == h else { throw LoopRefusal("the state is no mean of itself and another value") }
    let (gateActivation, updateSum) = try activated(z)
    var update = try gate(updateSum, state: h)
    if isComplement {
      guard gateActivation.name == .sigmoid || gateActivation.name == .sigmoidHard else {
        throw LoopRefusal("the complement of a gate is none")
      }
      update = update.negated
    }
    let (activation, sum) = try activated(isComplement ? second : single)
    var candidate = RecurrentGate(
      bias: CellSum.spread(sum.products[[]] ?? [0], sum.width), width: sum.width)
    var reset: Int?
    var isAfter = false
    for term in sum.matrices {
      if term.source == [input], term.scaledBy.isEmpty, candidate.input == nil {
        candidate.input = term
        continue
      }
      guard candidate.recurrent == nil else { throw LoopRefusal("the candidate has more products than two") }
      candidate.recurrent = term
      if term.scaledBy.isEmpty, let gate = other(term.source, than: h) {
        reset = gate
      } else if term.source == [h], term.scaledBy.count == 1 {
        (reset, isAfter) = (term.scaledBy[0], true)
      }
    }
    guard let reset else { throw LoopRefusal("the candidate has no reset gate") }
    let resetBias = isAfter ? CellSum.spread(sum.products[[reset]] ?? [0], sum.width) : nil
    guard sum.products.keys.allSatisfy({ $0.isEmpty || (isAfter && $0 == [reset]) }) else {
      throw LoopRefusal("the candidate reads more than its input and its state")
    }
    let (resetActivation, resetSum) = try activated(reset)
    guard resetActivation == gateActivation else { throw LoopRefusal("the gates have two activations") }
    return GRUCell(
      reset: try gate(resetSum, state: h), update: update, candidate: candidate, resetBias: resetBias,
      gateActivation: gateActivation, activation: activation)
  }

  /// The other factor of a product of two.
  private func other(_ monomial: CellSum.Monomial, than atom: Int) -> Int? {
    guard monomial.count == 2, let place = monomial.firstIndex(of: atom) else { return nil }
    return monomial[1 - place]
  }

  // MARK: LSTM

  private func lstm(_ next: [CellSum], _ hIndex: Int, _ cIndex: Int) throws -> LSTMCell {
    let (h, c) = (states[hIndex], states[cIndex])
    let memory = next[cIndex]
    var sum = memory
    var clip: Double?
    if let limited = sum.single, case .limited(let low, let high, let inner) = atoms[limited], low == -high, high > 0 {
      (sum, clip) = (inner, high)
    }
    // f c + i z
    guard sum.matrices.isEmpty, sum.products.count == 2,
      sum.products.keys.allSatisfy({ $0.count == 2 && sum.uniform($0) == 1 }),
      let kept = sum.products.keys.first(where: { $0.contains(c) }), let forget = other(kept, than: c), forget != c,
      let new = sum.products.keys.first(where: { $0 != kept }), !new.contains(c)
    else { throw LoopRefusal("the memory is not kept and added to") }
    // o activation(c')
    guard next[hIndex].matrices.isEmpty, next[hIndex].products.count == 1, let made = next[hIndex].products.keys.first,
      made.count == 2, next[hIndex].uniform(made) == 1
    else { throw LoopRefusal("the state is no gated memory") }
    let places = made.indices.filter { place in
      guard let (_, of) = try? activated(made[place]) else { return false }
      return of.isSame(as: memory)
    }
    guard places.count == 1 else { throw LoopRefusal("the state is no gated memory") }
    let (activation, _) = try activated(made[places[0]])
    let (outputActivation, outputSum) = try activated(made[1 - places[0]])
    let (forgetActivation, forgetSum) = try activated(forget)
    let before = CellSum(atom: c, width: memory.width)
    // In the product i z, the gate is identified by its activation, or by its peephole. If neither decides, either
    // factor may be the gate.
    for place in new.indices {
      let (gateActivation, gateSum) = try activated(new[place])
      let (cellActivation, cellSum) = try activated(new[1 - place])
      guard gateActivation == forgetActivation, gateActivation == outputActivation,
        let cellGate = try? gate(cellSum, state: h)
      else { continue }
      let gates = [
        try gate(gateSum, state: h, memory: before), try gate(forgetSum, state: h, memory: before),
        try gate(outputSum, state: h, memory: memory), cellGate,
      ]
      return LSTMCell(
        gates: gates, gateActivation: gateActivation, cellActivation: cellActivation, activation: activation, clip: clip
      )
    }
    throw LoopRefusal("the gates have several activations")
  }
}

extension CellSum {
  /// The atom, if the sum is a single atom.
  fileprivate var single: Int? {
    guard matrices.isEmpty, products.count == 1, let key = products.keys.first, key.count == 1, uniform(key) == 1 else {
      return nil
    }
    return key[0]
  }

  fileprivate func shifted(_ number: Double) throws -> CellSum {
    try adding(CellSum(constant: [number], width: width))
  }
}
