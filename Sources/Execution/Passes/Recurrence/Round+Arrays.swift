import MIL

/// Reads of the sequence, and reads and writes of arrays.
extension Round {
  mutating func read(_ operation: Operation) throws -> RoundValue {
    let isList = operation.type == "list_read"
    guard case .counter(let counter) = try argument(isList ? "index" : "indices", operation), counter.offset == 0 else {
      throw LoopRefusal("\(operation.label) does not read at the counter")
    }
    guard try isList || (int("axis", operation, default: 0) == 0 && int("batch_dims", operation, default: 0) == 0)
    else {
      throw LoopRefusal("\(operation.label) does not read along the first axis")
    }
    return try element(isList ? "ls" : "x", at: counter, isLeading: !isList && counter.isVector, operation)
  }

  /// A slice of one element along the first axis, at the counter. The counter is the bound, and masks ignore the bounds
  /// of the other axes.
  mutating func readSlice(_ operation: Operation) throws -> RoundValue? {
    guard case .counter(let begin) = try argument("begin", operation) else { return nil }
    func mask(_ name: String) throws -> [Bool] { try known(name, operation)?.bools() ?? [false, false, false] }
    let isSqueezed = try mask("squeeze_mask") == [true, false, false]
    guard begin.offset == 0, begin.isVector, try isSqueezed || mask("squeeze_mask") == [false, false, false],
      try mask("begin_mask") == [false, true, true], try mask("end_mask").dropFirst() == [true, true],
      try known("stride", operation)?.ints().allSatisfy({ $0 == 1 }) ?? true
    else { throw LoopRefusal("\(operation.label) does not read at the counter") }
    if !isSqueezed {
      guard case .counter(let end) = try argument("end", operation), end.offset == 1,
        try mask("end_mask") == [false, true, true]
      else { throw LoopRefusal("\(operation.label) reads more than an element") }
      try requireExact(end)
    }
    return try element("x", at: begin, isLeading: !isSqueezed, operation)
  }

  private mutating func element(
    _ name: String, at counter: LoopCounter, isLeading: Bool, _ operation: Operation
  ) throws -> RoundValue {
    try requireExact(counter)
    guard let binding = operation.binding(name) else { throw LoopRefusal("\(operation.label) has no '\(name)'") }
    switch try value(of: binding) {
    case .array(let number):
      if let known = arraysRead[number] { return .rows([known], isLeading: isLeading) }
      guard let width = arrayShapes[number]?.last else { throw LoopRefusal("an array has no known width") }
      let state = try atoms.add(.state(number), width: width)
      arraysRead[number] = state
      return .rows([state], isLeading: isLeading)
    case .captured, .known:
      let source = operation.type == "list_read" ? try listSource(binding) : binding
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
    return try atoms.add(.input, width: sizes[2])
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
