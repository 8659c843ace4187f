/// A dictionary for scoped definitions. Leaving a block undoes its changes without ever copying the dictionary.
package struct NestedDictionary<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  /// All definitions, of the block and of the enclosing ones.
  package private(set) var all: [Key: Element] = [:]
  private var changes: [(key: Key, before: Element?)] = []
  private var marks: [Int] = []

  package init() {}

  package subscript(key: Key) -> Element? {
    get { all[key] }
    set {
      if !marks.isEmpty { changes.append((key, all[key])) }
      all[key] = newValue
    }
  }

  package mutating func reserve(_ count: Int) { all.reserveCapacity(count) }

  /// Starts a block. Changes until `leave` belong to it.
  package mutating func enter() { marks.append(changes.count) }

  package mutating func leave() {
    guard let mark = marks.popLast() else { return }
    while changes.count > mark {
      let (key, before) = changes.removeLast()
      all[key] = before
    }
  }
}
