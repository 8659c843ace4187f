/// When each value is alive and which values share memory: what the layout of the arenas is made from.
struct Lifetimes {
  /// The arena that a value lives in; nil for what has no planned memory (literals, run-time shapes).
  private let arenas: [Int?]
  private let bytes: [Int]
  private var root: [Int]
  private var first: [Int]
  private var last: [Int]

  init(arenas: [Int?], bytes: [Int]) {
    self.arenas = arenas
    self.bytes = bytes
    root = Array(arenas.indices)
    first = Array(repeating: Int.max, count: arenas.count)
    last = Array(repeating: Int.min, count: arenas.count)
  }

  mutating func touch(_ slot: Int, at time: Int) {
    let owner = find(slot)
    first[owner] = min(first[owner], time)
    last[owner] = max(last[owner], time)
  }

  /// Whether `slot`'s memory may be overwritten by `output` at `time`: planned memory of the same size, read for the last time, and read
  /// once. What another operand reads of it (a scatter of a value into itself, a part of a value added to the whole) would be gone when its
  /// turn comes.
  func canTakeOver(_ slot: Int, of operands: [Int], by output: Int, at time: Int) -> Bool {
    let owner = find(slot)
    guard operands.count(where: { find($0) == owner }) == 1 else { return false }
    return arenas[owner] != nil && arenas[owner] == arenas[output] && bytes[owner] == bytes[output]
      && last[owner] == time && find(output) != owner
  }

  /// Lets `slot` be the bytes of `other`, when both are planned memory of one arena.
  mutating func alias(_ slot: Int, to other: Int) {
    let child = find(slot)
    let owner = find(other)
    guard child != owner, arenas[owner] != nil, arenas[owner] == arenas[child], bytes[owner] >= bytes[child] else {
      return
    }
    root[child] = owner
    first[owner] = min(first[owner], first[child])
    last[owner] = max(last[owner], last[child])
  }

  /// The offset of every planned value in its arena (0 for one that nobody touches), and the size of each arena.
  func layOut(arenaCount: Int) throws -> (offsets: [Int?], arenaBytes: [Int]) {
    var offsets: [Int?] = arenas.map { $0 == nil ? nil : 0 }
    var arenaBytes: [Int] = []
    for arena in 0..<arenaCount {
      let owners = root.indices.filter { root[$0] == $0 && arenas[$0] == arena && last[$0] != Int.min }
      let memory = try MemoryPlan(
        owners.map { MemoryPlan.Interval(first: first[$0], last: last[$0], bytes: bytes[$0]) })
      for (number, owner) in owners.enumerated() { offsets[owner] = memory.offsets[number] }
      arenaBytes.append(memory.totalBytes)
    }
    for slot in root.indices where arenas[slot] != nil { offsets[slot] = offsets[find(slot)] }
    return (offsets, arenaBytes)
  }

  private func find(_ slot: Int) -> Int {
    var slot = slot
    while root[slot] != slot { slot = root[slot] }
    return slot
  }
}
