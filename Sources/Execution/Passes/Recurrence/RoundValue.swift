import CoreMLBase
import CoreMLKernels
import MIL

/// What a name of a loop's block stands for, in any one round of the loop.
enum RoundValue {
  /// The same in every round, and known.
  case known(Value)
  /// The same in every round, and known as its file has it.
  case stored(StoredWeight)
  /// Defined around the loop: the same in every round.
  case captured(String)
  case counter(LoopCounter)
  /// Rows of numbers, `[batch, width]`, side by side; with an axis of one before them when `isLeading`.
  case rows([CellSum], isLeading: Bool)
  /// A loop variable that rounds read from and write to at the counter: its number.
  case array(Int)
  case written(ArrayWrite)
  /// True while the counter is below.
  case below(Int)
}

/// The number of the round plus an offset, as the block calculates it.
struct LoopCounter {
  var offset = 0
  /// Of shape [1] in place of a scalar.
  var isVector: Bool
  /// The largest number that the integers it went through hold.
  var largest = Int(Int32.max)
}

/// The whole of an array after a round wrote one element of it.
struct ArrayWrite {
  enum Place: Equatable {
    case counter(offset: Int)
    case fixed(Int)
  }

  let array: Int
  let place: Place
  let element: CellSum
  /// Whether the element is added to what is there.
  let isAdded: Bool
}

/// What is known around a loop, where it stands.
struct LoopSurroundings {
  let scope: Scope
  /// Constants that are as they are stored.
  let stored: [String: StoredWeight]
  let pool: ThreadPool
  /// The operation that makes a name.
  let maker: (String) -> Operation?

  func type(of binding: Binding) -> ValueType? {
    switch binding {
    case .literal(let value): value.type
    case .name(let name): scope.types[name]
    }
  }

  func value(of binding: Binding) -> Value? {
    switch binding {
    case .literal(let value): value
    case .name(let name): scope.values[name]
    }
  }

  /// Operations that move numbers, and make no more of them than they are given.
  private static let movements: Set<String> = [
    "transpose", "slice_by_index", "split", "concat", "reshape", "squeeze", "expand_dims", "identity",
  ]

  /// Operations that one value is looked for through, and its elements.
  private static let patience = 32
  private static let largest = 1 << 26

  /// The numbers of what is moved about of constants alone around the loop, and was left for being halves or stored; nil for anything else.
  func moved(_ name: String) throws -> Tensor? {
    var patience = Self.patience
    return try moved(name, &patience)
  }

  private func moved(_ name: String, _ patience: inout Int) throws -> Tensor? {
    try Cancellation.check()
    patience -= 1
    guard patience >= 0, scope.types[name]?.tensor?.elementCount ?? .max <= Self.largest, let operation = maker(name),
      Self.movements.contains(operation.type), operation.code == nil,
      let place = operation.outputs.firstIndex(where: { $0.name == name })
    else { return nil }
    var types: [String: [ValueType]] = [:]
    var values: [String: [Value?]] = [:]
    for (parameter, bindings) in operation.inputs {
      for binding in bindings {
        var value = value(of: binding)
        if value == nil, let name = binding.name {
          value = try (stored[name]?.dense() ?? moved(name, &patience)).map { .tensor($0) }
        }
        guard let value else { return nil }
        types[parameter, default: []].append(value.type)
        values[parameter, default: []].append(value)
      }
    }
    let results = try KernelRegistry.evaluate(
      Invocation(operation: operation, inputTypes: types, values: values), pool: pool)
    return results.indices.contains(place) ? results[place].tensor : nil
  }

  func maker(of binding: Binding) -> Operation? { binding.name.flatMap(maker) }
}
