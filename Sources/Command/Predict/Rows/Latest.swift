import Synchronization

/// What was made last, by its number: rows are asked for several times, one after the other.
final class Latest<Value: Sendable>: Sendable {
  private let known = Mutex<(number: Int, value: Value)?>(nil)

  func value(of number: Int, _ make: () throws -> Value) rethrows -> Value {
    if let known = known.withLock({ $0 }), known.number == number { return known.value }
    let value = try make()
    known.withLock { $0 = (number, value) }
    return value
  }
}
