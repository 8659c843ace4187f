import Synchronization

/// Caches the last value by its number: a row is requested several times in succession.
final class Latest<Value: Sendable>: Sendable {
  private let known = Mutex<(number: Int, value: Value)?>(nil)

  func value(of number: Int, _ make: () throws -> Value) rethrows -> Value {
    if let known = known.withLock({ $0 }), known.number == number { return known.value }
    let value = try make()
    known.withLock { $0 = (number, value) }
    return value
  }
}
