import Foundation

/// Lets one thread at a time make what several want: the others wait for it and find it made.
// Sendable: `making` is behind the condition's lock.
package final class SingleFlight<Key: Hashable & Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var making: Set<Key> = []

  package init() {}

  /// What `known` finds, or what `make` makes and keeps where `known` finds it. When making fails, the next that waits tries.
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
