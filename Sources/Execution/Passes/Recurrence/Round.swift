import CoreMLBase
import CoreMLKernels
import MIL

/// Interprets a block of a loop symbolically, and records the meaning of each name in any iteration. Operations that
/// are not part of a recurrence over a sequence are refused.
struct Round {
  let surroundings: LoopSurroundings
  let pool: ThreadPool
  /// The number of iterations; nil while the condition is interpreted.
  let rounds: Int?
  var atoms = CellAtoms()
  /// The tensor `[rounds or more, batch, width]` whose element the iteration reads.
  var sequence: Binding?
  /// Array elements that the iteration reads, by array number.
  var arraysRead: [Int: CellSum] = [:]
  /// Shapes of arrays that are tensors, by number.
  var arrayShapes: [Int: [Int]] = [:]
  private(set) var batch: Int?
  private var names: [String: RoundValue] = [:]
  /// The number of coefficients in all expressions.
  private var size = 0

  /// The limit of coefficients. Those of a cell are biases and peepholes only.
  private static let mostNumbers = 1 << 22

  init(_ surroundings: LoopSurroundings, pool: ThreadPool, rounds: Int?) {
    self.surroundings = surroundings
    self.pool = pool
    self.rounds = rounds
  }

  mutating func define(_ name: String, _ value: RoundValue) throws {
    if case .rows(let parts, _) = value {
      guard parts.count <= CellSum.maximumTerms else { throw LoopRefusal("'\(name)' is joined of more than a cell") }
      size += parts.reduce(0) { $0 + $1.size }
      guard size <= Self.mostNumbers else { throw LoopRefusal("a round has more coefficients than a cell") }
    }
    names[name] = value
  }

  /// Defines a loop variable of shape [batch, width] as a state.
  mutating func state(_ number: Int, _ type: TensorType) throws -> RoundValue {
    guard let sizes = type.concreteShape, sizes.count == 2 else { throw LoopRefusal("a state is no matrix: \(type)") }
    try require(batch: sizes[0])
    return .rows([try atoms.add(.state(number), width: sizes[1])], isLeading: false)
  }

  mutating func walk(_ block: Block) throws -> [RoundValue] {
    for operation in block.operations { try add(operation) }
    return try block.outputs.map { try value(of: .name($0)) }
  }

  // MARK: values

  func value(of binding: Binding) throws -> RoundValue {
    switch binding {
    case .literal(let value): return .known(value)
    case .name(let name):
      if let value = names[name] { return value }
      if let value = surroundings.scope.values[name] { return .known(value) }
      if let weight = surroundings.stored[name] { return .stored(weight) }
      guard surroundings.scope.types[name] != nil else { throw LoopRefusal("'\(name)' is not defined") }
      return .captured(name)
    }
  }

  func argument(_ name: String, _ operation: Operation) throws -> RoundValue {
    guard let binding = operation.binding(name) else { throw LoopRefusal("\(operation.label) has no '\(name)'") }
    return try value(of: binding)
  }

  func known(_ name: String, _ operation: Operation) throws -> Tensor? {
    guard operation.inputs[name] != nil else { return nil }
    guard case .known(.tensor(let tensor)) = try numbers(argument(name, operation)) else {
      throw LoopRefusal("'\(name)' of \(operation.label) is not constant")
    }
    return tensor
  }

  /// Decodes a constant that is not dense yet. Other values are unchanged.
  func numbers(_ value: RoundValue) throws -> RoundValue {
    switch value {
    case .stored(let weight): .known(.tensor(try weight.dense()))
    case .captured(let name): try surroundings.moved(name).map { .known(.tensor($0)) } ?? value
    default: value
    }
  }

  /// A constant matrix in stored form.
  func matrix(_ name: String, _ operation: Operation, isTransposed: Bool) throws -> CellMatrix {
    if case .stored(let weight) = try argument(name, operation) {
      return try CellMatrix(weight, isTransposed: isTransposed)
    }
    guard let weight = try known(name, operation).flatMap({ StoredWeight($0) }) else {
      throw LoopRefusal("'\(name)' of \(operation.label) is not constant")
    }
    return try CellMatrix(weight, isTransposed: isTransposed)
  }

  func int(_ name: String, _ operation: Operation, default fallback: Int? = nil) throws -> Int {
    guard let tensor = try known(name, operation) else {
      guard let fallback else { throw LoopRefusal("\(operation.label) has no '\(name)'") }
      return fallback
    }
    guard tensor.count == 1, let value = try tensor.ints().first else {
      throw LoopRefusal("'\(name)' of \(operation.label) is not one number")
    }
    return value
  }

  mutating func require(batch size: Int) throws {
    guard batch ?? size == size else { throw LoopRefusal("the batches of its values differ") }
    batch = size
  }

  mutating func output(_ operation: Operation, _ value: RoundValue) throws {
    guard operation.outputs.count == 1 else { throw LoopRefusal("\(operation.label) has several outputs") }
    try define(operation.outputs[0].name, value)
  }

  // MARK: operations

  private mutating func add(_ operation: Operation) throws {
    try Cancellation.check()
    guard operation.blocks.isEmpty, operation.code == nil else { throw LoopRefusal("it holds \(operation.label)") }
    if let constant = operation.constant { return try output(operation, .known(constant)) }
    if try fold(operation) { return }
    switch operation.type {
    case "identity": try output(operation, argument("x", operation))
    case "cast": try output(operation, cast(operation))
    case "gather", "list_read": try output(operation, read(operation))
    case "scatter", "list_write": try output(operation, write(operation))
    case "squeeze", "expand_dims", "reshape": try output(operation, reshaped(operation))
    case "less", "greater", "less_equal", "greater_equal": try output(operation, compare(operation))
    case "logical_and":
      guard case .below(let a) = try argument("x", operation), case .below(let b) = try argument("y", operation) else {
        throw LoopRefusal("\(operation.label) is no bound of the counter")
      }
      try output(operation, .below(min(a, b)))
    case "select":
      guard let isTrue = try known("cond", operation), isTrue.count == 1, let first = try isTrue.bools().first else {
        throw LoopRefusal("\(operation.label) chooses between elements")
      }
      try output(operation, argument(first ? "a" : "b", operation))
    case "slice_by_index":
      if let element = try readSlice(operation) { return try output(operation, element) }
      try addArithmetic(operation)
    default: try addArithmetic(operation)
    }
  }

  /// Evaluates an operation with constant operands only.
  private mutating func fold(_ operation: Operation) throws -> Bool {
    if operation.type == "shape", let sizes = try sizes(argument("x", operation)) {
      try output(operation, .known(.int32s(sizes)))
      return true
    }
    var types: [String: [ValueType]] = [:]
    var values: [String: [Value?]] = [:]
    for (parameter, bindings) in operation.inputs {
      for binding in bindings {
        var known = try value(of: binding)
        if case .stored = known { known = try numbers(known) }
        guard case .known(let value) = known else { return false }
        types[parameter, default: []].append(value.type)
        values[parameter, default: []].append(value)
      }
    }
    let definition = try Operations.definition(of: operation)
    guard definition.isPure else { throw LoopRefusal("\(operation.label) is not the same in every round") }
    let invocation = Invocation(operation: operation, inputTypes: types, values: values)
    let given = types.values.joined().reduce(0) { $0 + ($1.tensor?.byteCount ?? 0) }
    for type in try definition.outputTypes(invocation) {
      guard let made = type.tensor?.byteCount, made <= given + Self.growthLimit else {
        throw LoopRefusal("\(operation.label) makes a large constant")
      }
    }
    for (output, value) in zip(operation.outputs, try KernelRegistry.evaluate(invocation, pool: pool)) {
      names[output.name] = .known(value)
    }
    return true
  }

  private func sizes(_ value: RoundValue) throws -> [Int]? {
    switch value {
    case .captured(let name): return surroundings.scope.types[name]?.tensor?.concreteShape
    case .stored(let weight): return weight.shape
    case .array(let number): return arrayShapes[number]
    case .rows(let parts, let isLeading):
      return batch.map { (isLeading ? [1] : []) + [$0, parts.reduce(0) { $0 + $1.width }] }
    default: return nil
    }
  }

  /// The number of bytes by which a computed constant may exceed its operands.
  private static let growthLimit = 1 << 20
}

extension CellAtoms.Atom {
  var isInput: Bool {
    if case .input = self { return true }
    return false
  }
}
