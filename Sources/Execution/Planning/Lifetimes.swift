import CoreMLKernels

/// When each value is alive and which values share memory: what the layout of the arenas is made from.
struct Lifetimes {
  /// The arena that a value lives in; nil for what has no planned memory (literals, run-time shapes). What is fixed to memory from outside
  /// has an arena of its own, beyond those of the devices.
  private var arenas: [Int?]
  private let bytes: [Int]
  private let deviceCount: Int
  /// Which values share memory, and where each begins in it.
  private var shared: SharedMemory
  /// Whether somebody begins further on in an owner's memory.
  private var hasParts: [Bool]
  private var first: [Int]
  private var last: [Int]
  /// The device whose memory each external one is.
  private var homes: [Int] = []
  /// Until when fixed memory holds what it is read as; nil where it does so for as long as the plan runs.
  private var validUntil: [Int: Int] = [:]

  init(arenas: [Int?], bytes: [Int], deviceCount: Int) {
    self.arenas = arenas
    self.bytes = bytes
    self.deviceCount = deviceCount
    shared = SharedMemory(count: arenas.count)
    hasParts = Array(repeating: false, count: arenas.count)
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

  /// Whether a device's arena (the host's unless it is said) would hold the value, and neither anything larger shares its memory nor parts that
  /// begin further on.
  func canBeFixed(_ slot: Int, on device: Int = 0) -> Bool {
    let owner = find(slot)
    return arenas[owner] == device && bytes[owner] == bytes[slot] && !hasParts[owner]
  }

  /// Tells of the next external memory, which is a device's; its number.
  mutating func addExternal(on device: Int) -> Int {
    homes.append(device)
    return homes.count - 1
  }

  /// The arena that would hold what lies in external memory.
  private func home(_ arena: Int) -> Int { homes[arena - deviceCount] }

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
    let target = arenas[find(output)]
    return arena >= deviceCount ? allowsFixed && target == home(arena) : arena == target
  }

  /// Lets `slot` be the bytes of `other`, when both are planned memory of one arena, or `other` is fixed memory that stays as it is for as
  /// long as `slot` is read.
  mutating func alias(_ slot: Int, to other: Int) {
    let (child, own) = place(slot)
    let (owner, begin) = place(other)
    guard child != owner, let arena = arenas[owner], let ownArena = arenas[child] else { return }
    guard
      arena == ownArena
        || arena >= deviceCount && ownArena == home(arena) && last[child] <= validUntil[owner] ?? Int.max
    else { return }
    unite(child, owner, at: begin - own)
  }

  /// Lets an owner lie in another's memory, where that has the room.
  private mutating func unite(_ child: Int, _ owner: Int, at begin: Int) {
    guard begin >= 0, bytes[child] <= bytes[owner] - begin else { return }
    shared.put(child, in: owner, at: begin)
    if begin != 0 || hasParts[child] { hasParts[owner] = true }
    first[owner] = min(first[owner], first[child])
    last[owner] = max(last[owner], last[child])
  }

  /// Lets outputs lie in the operands that they are parts of, and operands in the outputs that they become parts of, in an arena.
  mutating func share(_ runs: [Candidate.Run], operands: [Int], outputs: [Int]) {
    let runs = runs.filter { operands.indices.contains($0.operand) && outputs.indices.contains($0.output) }
    for run in runs {
      let (part, whole) = (outputs[run.output], place(operands[run.operand]))
      guard run.target == 0, run.count == bytes[part], find(part) == part, let arena = arenas[part],
        arena < deviceCount,
        whole.owner != part, arenas[whole.owner] == arena, (whole.offset + run.source) % Self.alignment == 0
      else { continue }
      unite(part, whole.owner, at: whole.offset + run.source)
    }
    for (output, runs) in Dictionary(grouping: runs, by: \.output).sorted(by: { $0.key < $1.key }) {
      join(
        runs.filter { $0.source == 0 && $0.count == bytes[operands[$0.operand]] }.map {
          (operands[$0.operand], $0.target)
        },
        into: outputs[output])
    }
  }

  /// What shares its memory with others already comes with all of them, when they become neighbours here as they are there and nobody else
  /// has a part of it.
  private mutating func join(_ parts: [(slot: Int, target: Int)], into whole: Int) {
    let (owner, begin) = place(whole)
    guard let arena = arenas[owner], arena < deviceCount else { return }
    var groups: [Int: [Int: (target: Int, bytes: Int)]] = [:]
    for part in parts {
      let (child, own) = place(part.slot)
      // A value that is there twice lies in the first of its places.
      guard child != owner, arenas[child] == arena, groups[child]?[own] == nil else { continue }
      groups[child, default: [:]][own] = (part.target, bytes[part.slot])
    }
    for (child, pieces) in groups.sorted(by: { $0.key < $1.key }) {
      guard let shift = pieces.first.map({ $0.value.target - $0.key }),
        pieces.allSatisfy({ $0.value.target - $0.key == shift }),
        pieces.values.reduce(0, { $0 + $1.bytes }) == bytes[child], (begin + shift) % Self.alignment == 0
      else { continue }
      unite(child, owner, at: begin + shift)
    }
  }

  /// What parts begin at, so that vectors lie within the lines of the caches.
  private static let alignment = 32

  // MARK: layout

  /// The offset of every planned value in its arena (0 for one that nobody touches, and in external memory), and the size of each arena.
  func layOut() throws -> (offsets: [Int?], arenaBytes: [Int]) {
    var offsets: [Int?] = arenas.map { $0 == nil ? nil : 0 }
    var arenaBytes: [Int] = []
    for arena in 0..<deviceCount {
      let owners = arenas.indices.filter { arenas[$0] == arena && last[$0] != Int.min && find($0) == $0 }
      let memory = try MemoryPlan(
        owners.map { MemoryPlan.Interval(first: first[$0], last: last[$0], bytes: bytes[$0]) })
      for (number, owner) in owners.enumerated() { offsets[owner] = memory.offsets[number] }
      arenaBytes.append(memory.totalBytes)
    }
    for slot in arenas.indices where arenas[slot] != nil {
      let (owner, begin) = place(slot)
      guard owner != slot else { continue }
      offsets[slot] = offsets[owner].map { $0 + begin }
    }
    return (offsets, arenaBytes)
  }

  private func place(_ slot: Int) -> (owner: Int, offset: Int) { shared.place(of: slot) }

  private func find(_ slot: Int) -> Int { shared.place(of: slot).owner }
}
