import Foundation

/// What passes ask of a whole function: makers and readers, types and constants by name. Each part is found at its
/// first use. A function drops its index when it changes.
// Sendable: the parts are behind the lock
final class FunctionIndex: @unchecked Sendable {
  private let lock = NSLock()
  private var parts = Parts()

  private struct Parts {
    var uses: Uses?
    var constants: [String: Value]?
    var constantNames: Set<String>?
    var types: [String: ValueType]?
    var names: FreshNames?
    var operationTypes: Set<String>?
  }

  /// The index of the same function with other types and constants. The names stay.
  func with(types changedTypes: [String: ValueType], constants changedConstants: [String: Value]) -> FunctionIndex {
    var copy = lock.withLock { parts }
    for (name, type) in changedTypes { copy.types?[name] = type }
    for (name, value) in changedConstants { copy.constants?[name] = value }
    let index = FunctionIndex()
    index.parts = copy
    return index
  }

  func clear() { lock.withLock { parts = Parts() } }

  func uses(_ make: () -> Uses) -> Uses { part(\.uses, make) }
  func constants(_ make: () -> [String: Value]) -> [String: Value] { part(\.constants, make) }
  func constantNames(_ make: () -> Set<String>) -> Set<String> { part(\.constantNames, make) }
  func types(_ make: () -> [String: ValueType]) -> [String: ValueType] { part(\.types, make) }
  func names(_ make: () -> FreshNames) -> FreshNames { part(\.names, make) }
  func operationTypes(_ make: () -> Set<String>) -> Set<String> { part(\.operationTypes, make) }

  /// Two threads may find the same part at once. Both find the same.
  private func part<T>(_ path: WritableKeyPath<Parts, T?>, _ make: () -> T) -> T {
    if let known = lock.withLock({ parts[keyPath: path] }) { return known }
    let made = make()
    lock.withLock { parts[keyPath: path] = made }
    return made
  }
}
