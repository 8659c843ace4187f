/// The symbols of a word, as a linked list, while pairs are joined in O(n log n).
struct BPESymbols {
  private struct Symbol {
    var id: Int32
    var previous: Int32
    var next: Int32
    var isAlive = true
  }

  /// A pair that may be joined. It is stale if its left symbol has been joined since.
  private struct Candidate {
    let rank: Int32
    let position: Int32
    let id: Int32

    func precedes(_ other: Candidate) -> Bool { (rank, position) < (other.rank, other.position) }
  }

  private var symbols: [Symbol] = []
  /// A binary heap. The pair with the lowest rank is first, and the leftmost of those with one rank.
  private var heap: [Candidate] = []

  init(capacity: Int) { symbols.reserveCapacity(capacity) }

  mutating func append(_ id: Int32) {
    let place = Int32(symbols.count)
    if place > 0 { symbols[Int(place) - 1].next = place }
    symbols.append(Symbol(id: id, previous: place - 1, next: -1))
  }

  func forEach(_ body: (Int32) -> Void) { for symbol in symbols where symbol.isAlive { body(symbol.id) } }

  mutating func join(_ model: BPEModel) {
    for place in symbols.indices.dropLast() { consider(Int32(place), model) }
    while let candidate = popFirst() {
      let left = Int(candidate.position)
      guard symbols[left].isAlive, symbols[left].next >= 0 else { continue }
      let right = Int(symbols[left].next)
      guard model.merge(symbols[left].id, symbols[right].id)?.id == candidate.id else { continue }
      symbols[left].id = candidate.id
      symbols[left].next = symbols[right].next
      symbols[right].isAlive = false
      if symbols[right].next >= 0 { symbols[Int(symbols[right].next)].previous = Int32(left) }
      if symbols[left].previous >= 0 { consider(symbols[left].previous, model) }
      consider(Int32(left), model)
    }
  }

  /// Adds the pair that begins at a place, if there is a merge for it.
  private mutating func consider(_ place: Int32, _ model: BPEModel) {
    let symbol = symbols[Int(place)]
    guard symbol.next >= 0, let merge = model.merge(symbol.id, symbols[Int(symbol.next)].id) else { return }
    heap.append(Candidate(rank: merge.rank, position: place, id: merge.id))
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func popFirst() -> Candidate? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
