import CoreMLBase
import CoreMLKernels
import MIL

/// The meaning of a name in a loop's block, in any iteration.
enum RoundValue {
  /// A known constant.
  case known(Value)
  /// A constant in stored form.
  case stored(StoredWeight)
  /// A captured value from outside the loop.
  case captured(String)
  case counter(LoopCounter)
  /// Expressions `[batch, width]`, concatenated along the columns. With `isLeading`, there is an extra first axis of
  /// size 1.
  case rows([CellSum], isLeading: Bool)
  /// A loop variable that iterations read and write at the counter, by number.
  case array(Int)
  case written(ArrayWrite)
  /// True while the counter is below this value.
  case below(Int)
}

/// The iteration number plus an offset.
struct LoopCounter {
  var offset = 0
  /// Whether it has shape [1] rather than being a scalar.
  var isVector: Bool
  /// The largest value that all its integer types can hold.
  var largest = Int(Int32.max)
}

/// An array after an iteration has written one element.
struct ArrayWrite {
  enum Place: Equatable {
    case counter(offset: Int)
    case fixed(Int)
  }

  let array: Int
  let place: Place
  let element: CellSum
  /// Whether the element is added to the existing one.
  let isAdded: Bool
}

/// What is known about the code before a loop.
struct LoopSurroundings {
  let scope: Scope
  /// Constants in stored form.
  let stored: [String: StoredWeight]
  let pool: ThreadPool
  /// The operation that defines a name.
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

  /// Operations that only move elements, and whose result is no larger than their operands.
  private static let movements: Set<String> = [
    "transpose", "slice_by_index", "split", "concat", "reshape", "squeeze", "expand_dims", "identity",
  ]

  /// Limits of the search for one value: visited operations, and elements.
  private static let patience = 32
  private static let largest = 1 << 26

  /// The elements of a value that is only moved from constants outside the loop, and was not folded because it is fp16
  /// or in stored form. Nil for any other value.
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
