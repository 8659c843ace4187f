/// A dictionary for what is defined in blocks: when a block is left, whatever it changed is as it was, and nothing around it was copied.
package struct NestedDictionary<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  /// Everything, around and in the block.
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

  /// From here to `leave`, changes are those of a block.
  package mutating func enter() { marks.append(changes.count) }

  package mutating func leave() {
    guard let mark = marks.popLast() else { return }
    while changes.count > mark {
      let (key, before) = changes.removeLast()
      all[key] = before
    }
  }
}
