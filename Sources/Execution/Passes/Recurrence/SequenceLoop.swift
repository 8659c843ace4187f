import CoreMLKernels
import MIL

/// A `while_loop` that computes a recurrent layer over a sequence. Its counter runs from 0 in steps of 1. Each
/// iteration reads the sequence at the counter and updates the states of a cell. The loop keeps only states of its
/// iterations.
struct SequenceLoop {
  /// The value of a loop variable after the last iteration.
  enum Result {
    case counter
    /// The initial value.
    case unchanged
    /// The final state: 0 is the hidden state, 1 the memory.
    case state(Int)
    case array(ArrayResult)
  }

  enum ArrayResult {
    /// The states of all iterations, after the first row of the initial array if `keepsFirst`.
    case tensor(keepsFirst: Bool)
    /// A list of the states of all iterations.
    case list
    /// A list with the final state only.
    case lastInList
  }

  /// The initial value of a state: a loop variable, or the first row of one.
  struct Initial {
    let variable: Int
    let isFirstRow: Bool
  }

  let rounds: Int
  let batch: Int
  let cell: RecurrentCell
  let sequence: Binding
  /// By state, numbered as in `Result.state`.
  let initial: [Initial]
  let results: [Result]

  private enum Kind {
    case counter(isVector: Bool)
    case unchanged
    case state(TensorType)
    case array(ValueType)
  }

  init(_ loop: Operation, _ surroundings: LoopSurroundings, pool: ThreadPool) throws {
    guard let variables = loop.inputs["loop_vars"], loop.blocks.count == 2, loop.outputs.count == variables.count,
      loop.blocks.allSatisfy({ $0.inputs.count == variables.count }), loop.blocks[0].outputs.count == 1,
      loop.blocks[1].outputs.count == variables.count
    else { throw LoopRefusal("its blocks do not fit its variables") }
    let kinds = try variables.indices.map { try Self.kind($0, variables[$0], loop.blocks[1], surroundings) }
    rounds = try Self.rounds(loop.blocks[0], kinds, variables, surroundings, pool)
    var round = Round(surroundings, pool: pool, rounds: rounds)
    try Self.define(loop.blocks[1], kinds, variables, &round)
    let outputs = try round.walk(loop.blocks[1])
    // The states, and their values after an iteration.
    var carried: [(initial: Initial, next: CellSum)] = []
    for (number, output) in outputs.enumerated() {
      switch (kinds[number], output) {
      case (.unchanged, _): break
      case (.counter(let isVector), .counter(let counter)):
        guard counter.offset == 1, counter.isVector == isVector, rounds <= counter.largest else {
          throw LoopRefusal("the counter does not run by one")
        }
      case (.state(let type), .rows(let parts, false)):
        guard parts.count == 1, type.concreteShape?.last == parts[0].width else {
          throw LoopRefusal("a state changes its shape")
        }
        carried.append((Initial(variable: number, isFirstRow: false), parts[0]))
      case (.array, .written(let write)) where write.array == number:
        if round.arraysRead[number] != nil {
          carried.append((Initial(variable: number, isFirstRow: true), write.element))
        }
      default: throw LoopRefusal("loop variable \(number) is no state of a cell")
      }
    }
    guard let sequence = round.sequence, let batch = round.batch, let input = round.atoms.first(where: \.isInput) else {
      throw LoopRefusal("it reads no sequence")
    }
    (self.sequence, self.batch) = (sequence, batch)
    guard 1...2 ~= carried.count else { throw LoopRefusal("it has \(carried.count) states") }
    let atoms = try carried.map { try Self.atom(of: $0.initial.variable, round) }
    let reader = CellReader(atoms: round.atoms, input: input, states: atoms)
    let (cell, order) = try Self.cell(reader, carried.map(\.next))
    self.cell = cell
    initial = order.map { carried[$0].initial }
    let states = order.map { carried[$0].next }
    results = try outputs.indices.map { [rounds] number in
      switch (kinds[number], outputs[number]) {
      case (.counter, _): return .counter
      case (.unchanged, _): return .unchanged
      case (.array(let type), .written(let write)):
        return .array(
          try Self.array(
            write, type, variables[number], hidden: states[0], isRead: round.arraysRead[number] != nil, rounds,
            surroundings))
      default:
        guard let place = order.firstIndex(where: { carried[$0].initial.variable == number }) else {
          throw LoopRefusal("loop variable \(number) is no state of a cell")
        }
        return .state(place)
      }
    }
  }

  // MARK: variables

  private static func kind(
    _ number: Int, _ initial: Binding, _ body: Block, _ surroundings: LoopSurroundings
  ) throws -> Kind {
    if body.outputs[number] == body.inputs[number].name { return .unchanged }
    guard let type = surroundings.type(of: initial) else { throw LoopRefusal("loop variable \(number) is not defined") }
    switch type {
    case .list: return .array(type)
    case .tensor(let tensor) where tensor.scalar.isFloat && tensor.isConcrete && tensor.rank == 3: return .array(type)
    case .tensor(let tensor) where tensor.scalar.isFloat && tensor.isConcrete && tensor.rank == 2:
      return .state(tensor)
    case .tensor(let tensor) where tensor.scalar == .int32 && tensor.rank <= 1:
      guard let value = surroundings.value(of: initial)?.tensor, value.count == 1, try value.ints() == [0] else {
        break
      }
      return .counter(isVector: tensor.rank == 1)
    default: break
    }
    throw LoopRefusal("loop variable \(number) is no counter, state or array")
  }

  private static func define(
    _ block: Block, _ kinds: [Kind], _ variables: [Binding], _ round: inout Round
  ) throws {
    for (number, kind) in kinds.enumerated() {
      let name = block.inputs[number].name
      switch kind {
      case .counter(let isVector): try round.define(name, .counter(LoopCounter(isVector: isVector)))
      case .unchanged: try round.define(name, round.value(of: variables[number]))
      case .state(let type): try round.define(name, round.state(number, type))
      case .array(let type):
        if let sizes = type.tensor?.concreteShape {
          try round.require(batch: sizes[1])
          round.arrayShapes[number] = sizes
        }
        try round.define(name, .array(number))
      }
    }
  }

  private static func rounds(
    _ condition: Block, _ kinds: [Kind], _ variables: [Binding], _ surroundings: LoopSurroundings, _ pool: ThreadPool
  ) throws -> Int {
    var round = Round(surroundings, pool: pool, rounds: nil)
    try define(condition, kinds, variables, &round)
    guard case .below(let rounds)? = try round.walk(condition).first else {
      throw LoopRefusal("its condition is no bound of its counter")
    }
    // Recurrent operations do not support empty sequences.
    guard rounds >= 1 else { throw LoopRefusal("it makes no round") }
    return rounds
  }

  // MARK: states

  private static func atom(of variable: Int, _ round: Round) throws -> Int {
    let atom = round.atoms.first { atom in
      if case .state(variable) = atom { return true }
      return false
    }
    guard let atom else { throw LoopRefusal("loop variable \(variable) is not read") }
    return atom
  }

  /// The cell, and the indices of its states in `next`: hidden state, memory.
  private static func cell(_ reader: CellReader, _ next: [CellSum]) throws -> (RecurrentCell, [Int]) {
    switch next.count {
    case 1: return (try reader.cell(next: next[0]), [0])
    case 2:
      if let cell = try? reader.cell(next: next, h: 0, c: 1) { return (cell, [0, 1]) }
      return (try reader.cell(next: next, h: 1, c: 0), [1, 0])
    default: throw LoopRefusal("it has \(next.count) states")
    }
  }

  // MARK: arrays

  private static func array(
    _ write: ArrayWrite, _ type: ValueType, _ initial: Binding, hidden: CellSum, isRead: Bool, _ rounds: Int,
    _ surroundings: LoopSurroundings
  ) throws -> ArrayResult {
    guard write.element.isSame(as: hidden) else { throw LoopRefusal("an array keeps something else than states") }
    if case .list = type {
      guard !isRead, rounds <= Invocation.maximumListLength, let length = surroundings.listLength(initial) else {
        throw LoopRefusal("the length of a list is not known")
      }
      switch write.place {
      case .counter(offset: 0) where length <= rounds: return .list
      case .fixed(0) where length <= 1: return .lastInList
      default: throw LoopRefusal("a list keeps more than states")
      }
    }
    guard case .counter(let offset) = write.place, offset == 1 || (offset == 0 && !isRead),
      let shape = type.tensor?.concreteShape, shape.first == rounds + offset, shape.last == hidden.width
    else { throw LoopRefusal("an array keeps more than states") }
    guard !write.isAdded || surroundings.isZero(initial, after: offset) else {
      throw LoopRefusal("states are added to an array that is not known to be zero")
    }
    return .tensor(keepsFirst: offset == 1)
  }
}

extension LoopSurroundings {
  fileprivate func listLength(_ list: Binding) -> Int? {
    if case .list(let items, _)? = value(of: list) { return items.count }
    if case .list(_, let length)? = type(of: list), let known = length.value { return known }
    guard let maker = maker(of: list), maker.type == "make_list", let length = maker.binding("init_length"),
      let value = value(of: length)?.tensor, value.count == 1
    else { return nil }
    return (try? value.ints())?.first
  }

  /// Whether all rows of a tensor except the first `rows` are known to be zero.
  func isZero(_ tensor: Binding, after rows: Int) -> Bool {
    var known: [String: Int] = [:]
    return isZero(tensor, after: rows, depth: 0, &known)
  }

  /// `found` caches results: for each name, the number of rows after which all are zero. So a part that is concatenated
  /// several times is checked once.
  private func isZero(_ tensor: Binding, after rows: Int, depth: Int, _ found: inout [String: Int]) -> Bool {
    if let name = tensor.name, let before = found[name], before <= rows { return true }
    guard readsZero(tensor, after: rows, depth: depth, &found) else { return false }
    if let name = tensor.name { found[name] = rows }
    return true
  }

  private func readsZero(_ tensor: Binding, after rows: Int, depth: Int, _ found: inout [String: Int]) -> Bool {
    if let known = value(of: tensor)?.tensor {
      guard known.rank > 0, known.shape[0] > 0, known.scalar.isFloat else { return false }
      return known.withUnsafeBytes { $0.dropFirst($0.count / known.shape[0] * rows).allSatisfy { $0 == 0 } }
    }
    guard let maker = maker(of: tensor), depth < 8 else { return false }
    switch maker.type {
    case "fill":
      guard let binding = maker.binding("value") else { return maker.inputs["value"] == nil }
      return (try? value(of: binding)?.tensor?.doubles())?.allSatisfy { $0 == 0 } ?? false
    case "cast", "identity":
      guard let source = maker.binding("x"), type(of: source)?.tensor?.scalar.isFloat == true else { return false }
      return isZero(source, after: rows, depth: depth + 1, &found)
    case "concat":
      guard let axis = maker.binding("axis"), (try? value(of: axis)?.tensor?.ints()) == [0] else { return false }
      if let interleave = maker.binding("interleave"), (try? value(of: interleave)?.tensor?.bools()) != [false] {
        return false
      }
      var start = 0
      for part in maker.inputs["values"] ?? [] {
        guard let size = type(of: part)?.tensor?.shape.first?.value else { return false }
        let free = max(rows - start, 0)
        guard free >= size || isZero(part, after: free, depth: depth + 1, &found) else { return false }
        start += size
      }
      return true
    default: return false
    }
  }
}
