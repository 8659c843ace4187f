import MIL

/// A function whose sizes and literals are numbered, so that `SizeReads` can tell which of them a pass looks at.
struct TrackedFunction {
  /// The numbers of one operation: those of its outputs' sizes, output by output, then two for each of its literals, for
  /// the elements and the shape.
  struct Numbers {
    let first: UInt32
    let literals: [(parameter: String, position: Int)]
  }

  /// What a number stands for.
  enum Place {
    case size(Int?)
    case literal(Tensor)
  }

  /// The function as it was.
  let source: Function
  /// The function with numbers; the function as it was after `forget()`.
  private(set) var function: Function
  /// By operation. The last entry is that of the function's inputs.
  private(set) var numbers: [Numbers] = []
  private var places: [Place] = []

  /// - Parameter fixed: The memory of literals that never change, such as weights.
  init(_ source: Function, fixed: Set<ObjectIdentifier>) {
    self.source = source
    var tracked = source
    var (places, numbers): ([Place], [Numbers]) = ([], [])
    numbers.reserveCapacity(source.body.operations.count + 1)
    func numbered(_ type: ValueType) -> ValueType {
      guard case .tensor(var tensor) = type else { return type }
      for axis in tensor.shape.indices {
        places.append(.size(tensor.shape[axis].value))
        tensor.shape[axis] = Dimension(tensor.shape[axis], id: UInt32(places.count))
      }
      return .tensor(tensor)
    }
    var operations = source.body.operations
    for index in operations.indices {
      let first = UInt32(places.count + 1)
      for output in operations[index].outputs.indices {
        operations[index].outputs[output].type = numbered(operations[index].outputs[output].type)
      }
      var literals: [(String, Int)] = []
      for (parameter, bindings) in source.body.operations[index].inputs {
        for (position, binding) in bindings.enumerated() {
          guard case .literal(.tensor(let tensor)) = binding, !fixed.contains(ObjectIdentifier(tensor.storage)) else {
            continue
          }
          literals.append((parameter, position))
          places.append(.literal(tensor))
          let own = Tensor(tracking: tensor, id: UInt32(places.count))
          places.append(.literal(tensor))
          operations[index].inputs[parameter]?[position] = .literal(.tensor(own))
        }
      }
      numbers.append(Numbers(first: first, literals: literals))
    }
    numbers.append(Numbers(first: UInt32(places.count + 1), literals: []))
    let inputs = source.inputs.map { NamedType($0.name, numbered($0.type)) }
    tracked.body.operations = operations
    tracked.inputs = inputs
    (function, self.places, self.numbers) = (tracked, places, numbers)
  }

  /// Drops what only the pass and the reading of its result need.
  mutating func forget() { (function, places) = (source, []) }

  /// The operation that has a number. The one after the last stands for the function's inputs.
  func operation(of number: UInt32) -> Int {
    var (low, high) = (0, numbers.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if numbers[middle].first <= number { low = middle } else { high = middle }
    }
    return low
  }

  subscript(number: UInt32) -> Place { places[Int(number) - 1] }

  /// Calls `body` with each number of an operation whose size or literal differs in `other`, a version of the operation
  /// for other shapes. False if the two differ in more than that.
  func changes(
    at index: Int, to other: Operation, _ body: (_ number: UInt32, _ new: Change) -> Void
  ) -> Bool {
    let own = source.body.operations[index]
    guard own.identity != other.identity else { return true }
    var number = numbers[index].first
    guard own.outputs.count == other.outputs.count else { return false }
    for (before, after) in zip(own.outputs, other.outputs) {
      guard Self.changes(from: before.type, to: after.type, &number, body) else { return false }
    }
    for (parameter, position) in numbers[index].literals {
      guard case .literal(let before)? = own.inputs[parameter]?[position],
        case .literal(let after)? = other.inputs[parameter]?[position]
      else { return false }
      if !before.isSame(as: after) { body(number, .literal(after)) }
      if before.tensor?.shape != after.tensor?.shape { body(number + 1, .literal(after)) }
      number += 2
    }
    return true
  }

  /// The same for the function's inputs.
  func changes(to inputs: [NamedType], _ body: (_ number: UInt32, _ new: Change) -> Void) -> Bool {
    guard inputs.count == source.inputs.count else { return false }
    var number = numbers[numbers.count - 1].first
    for (before, after) in zip(source.inputs, inputs) {
      guard Self.changes(from: before.type, to: after.type, &number, body) else { return false }
    }
    return true
  }

  enum Change {
    case size(Dimension)
    case literal(Value)
  }

  private static func changes(
    from before: ValueType, to after: ValueType, _ number: inout UInt32, _ body: (UInt32, Change) -> Void
  ) -> Bool {
    guard case .tensor(let old) = before else { return before == after }
    guard case .tensor(let new) = after, old.scalar == new.scalar, old.shape.count == new.shape.count else {
      return false
    }
    for (one, other) in zip(old.shape, new.shape) {
      guard one.isKnown == other.isKnown else { return false }
      if one != other { body(number, .size(other)) }
      number += 1
    }
    return true
  }
}
