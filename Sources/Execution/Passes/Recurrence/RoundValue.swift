import MIL

/// What a name of a loop's block stands for, in any one round of the loop.
enum RoundValue {
  /// The same in every round, and known.
  case known(Value)
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

  func maker(of binding: Binding) -> Operation? { binding.name.flatMap(maker) }
}
