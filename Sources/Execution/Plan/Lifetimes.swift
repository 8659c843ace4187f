/// When each value is alive and which values share memory: what the layout of the arenas is made from.
struct Lifetimes {
  /// The arena that a value lives in; nil for what has no planned memory (literals, run-time shapes). What is fixed to memory from outside
  /// has an arena of its own, beyond those of the devices.
  private var arenas: [Int?]
  private let bytes: [Int]
  private let deviceCount: Int
  private var root: [Int]
  private var first: [Int]
  private var last: [Int]
  /// Until when fixed memory holds what it is read as; nil where it does so for as long as the plan runs.
  private var validUntil: [Int: Int] = [:]

  init(arenas: [Int?], bytes: [Int], deviceCount: Int) {
    self.arenas = arenas
    self.bytes = bytes
    self.deviceCount = deviceCount
    root = Array(arenas.indices)
    first = Array(repeating: Int.max, count: arenas.count)
    last = Array(repeating: Int.min, count: arenas.count)
  }

  mutating func touch(_ slot: Int, at time: Int) {
    let owner = find(slot)
    first[owner] = min(first[owner], time)
    last[owner] = max(last[owner], time)
  }

  func firstUse(of slot: Int) -> Int { first[find(slot)] }
  func lastUse(of slot: Int) -> Int { last[find(slot)] }

  // MARK: memory from outside

  /// The external memory that a value lies in.
  func external(of slot: Int) -> Int? {
    guard let arena = arenas[find(slot)], arena >= deviceCount else { return nil }
    return arena - deviceCount
  }

  /// Whether the host's arena would hold the value, and nothing larger shares its memory.
  func canBeFixed(_ slot: Int) -> Bool { arenas[find(slot)] == 0 && bytes[find(slot)] == bytes[slot] }

  /// Lets a value, and all that share its memory, lie in external memory.
  mutating func fix(_ slot: Int, to external: Int, until time: Int? = nil) {
    arenas[find(slot)] = deviceCount + external
    validUntil[find(slot)] = time
  }

  /// Fixed memory is written over by what it will hold from now on.
  mutating func renew(_ slot: Int, until time: Int?) { validUntil[find(slot)] = time }

  // MARK: sharing

  /// Whether `slot`'s memory may be overwritten by `output` at `time`: planned memory of the same size, read for the last time, and read
  /// once. What another operand reads of it (a scatter of a value into itself, a part of a value added to the whole) would be gone when its
  /// turn comes. Fixed memory is for whoever fixed it to allow.
  func canTakeOver(
    _ slot: Int, of operands: [Int], by output: Int, at time: Int, allowsFixed: Bool = false
  ) -> Bool {
    let owner = find(slot)
    guard operands.count(where: { find($0) == owner }) == 1, bytes[owner] == bytes[output], find(output) != owner,
      last[owner] == time, let arena = arenas[owner]
    else { return false }
    return arena >= deviceCount ? allowsFixed && arenas[find(output)] == 0 : arena == arenas[find(output)]
  }

  /// Lets `slot` be the bytes of `other`, when both are planned memory of one arena, or `other` is fixed memory that stays as it is for as
  /// long as `slot` is read.
  mutating func alias(_ slot: Int, to other: Int) {
    let child = find(slot)
    let owner = find(other)
    guard child != owner, let arena = arenas[owner], let own = arenas[child], bytes[owner] >= bytes[child] else {
      return
    }
    guard arena == own || arena >= deviceCount && own == 0 && last[child] <= validUntil[owner] ?? Int.max else {
      return
    }
    root[child] = owner
    first[owner] = min(first[owner], first[child])
    last[owner] = max(last[owner], last[child])
  }

  // MARK: layout

  /// The offset of every planned value in its arena (0 for one that nobody touches, and in external memory), and the size of each arena.
  func layOut() throws -> (offsets: [Int?], arenaBytes: [Int]) {
    var offsets: [Int?] = arenas.map { $0 == nil ? nil : 0 }
    var arenaBytes: [Int] = []
    for arena in 0..<deviceCount {
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
