import MIL

/// What a round reads of a sequence, and what it reads from and writes to arrays.
extension Round {
  mutating func read(_ operation: Operation) throws -> RoundValue {
    let isList = operation.type == "list_read"
    guard case .counter(let counter) = try argument(isList ? "index" : "indices", operation), counter.offset == 0 else {
      throw LoopRefusal("\(operation.label) does not read at the counter")
    }
    try requireExact(counter)
    guard try isList || (int("axis", operation, default: 0) == 0 && int("batch_dims", operation, default: 0) == 0)
    else {
      throw LoopRefusal("\(operation.label) does not read along the first axis")
    }
    let isLeading = !isList && counter.isVector
    let name = isList ? "ls" : "x"
    guard let binding = operation.binding(name) else { throw LoopRefusal("\(operation.label) has no '\(name)'") }
    switch try value(of: binding) {
    case .array(let number):
      if let known = arraysRead[number] { return .rows([known], isLeading: isLeading) }
      guard let width = arrayShapes[number]?.last else { throw LoopRefusal("an array has no known width") }
      let state = atoms.add(.state(number), width: width)
      arraysRead[number] = state
      return .rows([state], isLeading: isLeading)
    case .captured, .known:
      let source = isList ? try listSource(binding) : binding
      return .rows([try input(source)], isLeading: isLeading)
    default: throw LoopRefusal("\(operation.label) reads no sequence")
    }
  }

  /// The tensor whose rows are the elements of a list.
  private func listSource(_ list: Binding) throws -> Binding {
    guard let maker = surroundings.maker(of: list), maker.type == "list_scatter",
      let value = maker.binding("value"), let places = maker.binding("indices"),
      let indices = try surroundings.value(of: places)?.tensor?.ints(), indices == Array(0..<indices.count)
    else { throw LoopRefusal("a list is not made of a sequence") }
    return value
  }

  private mutating func input(_ source: Binding) throws -> CellSum {
    guard let sizes = surroundings.type(of: source)?.tensor?.concreteShape, sizes.count == 3, let rounds,
      sizes[0] >= rounds
    else { throw LoopRefusal("what is read at the counter is no sequence of matrices") }
    if let sequence {
      guard let name = source.name, sequence.name == name, let atom = atoms.first(where: \.isInput) else {
        throw LoopRefusal("two sequences are read")
      }
      return CellSum(atom: atom, width: sizes[2])
    }
    try require(batch: sizes[1])
    sequence = source
    return atoms.add(.input, width: sizes[2])
  }

  func write(_ operation: Operation) throws -> RoundValue {
    let isList = operation.type == "list_write"
    guard case .array(let array) = try argument(isList ? "ls" : "data", operation),
      case .rows(let parts, let isLeading) = try argument(isList ? "value" : "updates", operation), parts.count == 1,
      isLeading != isList
    else { throw LoopRefusal("\(operation.label) writes no row into an array") }
    let place: ArrayWrite.Place
    switch try argument(isList ? "index" : "indices", operation) {
    case .counter(let counter):
      try requireExact(counter)
      guard isList || counter.isVector else { throw LoopRefusal("\(operation.label) writes no row") }
      place = .counter(offset: counter.offset)
    case .known(.tensor(let tensor)) where isList && tensor.count == 1: place = .fixed(try tensor.ints()[0])
    default: throw LoopRefusal("\(operation.label) does not write at the counter")
    }
    var isAdded = false
    if !isList {
      guard try int("axis", operation, default: 0) == 0 else { throw LoopRefusal("\(operation.label) writes columns") }
      switch try known("mode", operation)?.strings().first ?? "add" {
      case "add": isAdded = true
      case "update": isAdded = false
      default: throw LoopRefusal("\(operation.label) calculates with what was there")
      }
    }
    return .written(ArrayWrite(array: array, place: place, element: parts[0], isAdded: isAdded))
  }
}
