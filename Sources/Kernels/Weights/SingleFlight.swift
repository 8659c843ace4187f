import Foundation

/// Lets one thread at a time make a value that several threads want. The others wait and then find it.
// Sendable: the condition's lock protects `making`.
package final class SingleFlight<Key: Hashable & Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var making: Set<Key> = []

  package init() {}

  /// Returns the value that `known` finds, or else the one that `make` makes. `make` must store it where `known` finds
  /// it. If `make` throws, the next waiting thread tries.
  package func value<Value>(
    for key: Key, known: () -> Value?, make: () throws -> Value
  ) rethrows -> Value {
    condition.lock()
    while true {
      if let value = known() {
        condition.unlock()
        return value
      }
      if making.insert(key).inserted { break }
      condition.wait()
    }
    condition.unlock()
    defer {
      condition.lock()
      making.remove(key)
      condition.broadcast()
      condition.unlock()
    }
    return try make()
  }
}
