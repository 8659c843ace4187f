import CoreMLKernels

/// The lifetime of each value, and the values that share memory. The arena layout is computed from both.
struct Lifetimes {
  /// The arena of each value; nil for values without planned memory (literals, run-time shapes). Each block of external
  /// memory has an arena index of its own, after those of the devices.
  private var arenas: [Int?]
  private var bytes: [Int]
  private let deviceCount: Int
  /// The owner of each value's memory, and the value's offset in it.
  private var shared: SharedMemory
  /// Whether a value that shares an owner's memory starts at a nonzero offset.
  private var hasParts: [Bool]
  private var first: [Int]
  private var last: [Int]
  /// The device that owns each block of external memory.
  private var homes: [Int] = []
  /// By owner of external memory: the last step at which the memory still holds the value that was read from it. No
  /// entry if it holds the value for the whole run.
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

  /// Gives a value another size, before any values share memory.
  mutating func resize(_ slot: Int, to byteCount: Int) { bytes[slot] = byteCount }

  mutating func touch(_ slot: Int, at time: Int) {
    let owner = find(slot)
    first[owner] = min(first[owner], time)
    last[owner] = max(last[owner], time)
  }

  func firstUse(of slot: Int) -> Int { first[find(slot)] }
  func lastUse(of slot: Int) -> Int { last[find(slot)] }

  // MARK: external memory

  /// The number of the external memory that holds a value; nil if the value is elsewhere.
  func external(of slot: Int) -> Int? {
    guard let arena = arenas[find(slot)], arena >= deviceCount else { return nil }
    return arena - deviceCount
  }

  /// Whether a value can move to external memory of `device` (default: the host). Its arena must be that of `device`.
  /// No larger value may share its memory, and no value may start at a nonzero offset in it.
  func canBeFixed(_ slot: Int, on device: Int = 0) -> Bool {
    let owner = find(slot)
    return arenas[owner] == device && bytes[owner] == bytes[slot] && !hasParts[owner]
  }

  /// Registers external memory on `device` and returns its number.
  mutating func addExternal(on device: Int) -> Int {
    homes.append(device)
    return homes.count - 1
  }

  /// The arena of the device that owns an external arena.
  private func home(_ arena: Int) -> Int { homes[arena - deviceCount] }

  /// Assigns a value, and all values that share its memory, to external memory.
  mutating func fix(_ slot: Int, to external: Int, until time: Int? = nil) {
    arenas[find(slot)] = deviceCount + external
    validUntil[find(slot)] = time
  }

  /// Updates the last step at which external memory holds its value, after a kernel overwrites it.
  mutating func renew(_ slot: Int, until time: Int?) { validUntil[find(slot)] = time }

  // MARK: sharing

  /// Whether `output` may overwrite the memory of `slot` at `time`. The memory must be planned, have the same size, be
  /// read for the last time, and be read by one operand only. A second operand that reads it (a scatter of a value into
  /// itself, a slice of a value added to the whole) would see overwritten data. For external memory, the caller decides
  /// with `allowsFixed`.
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

  /// Makes `slot` an alias of `other`. Both must have planned memory in one arena, or `other` is external memory that
  /// stays unchanged for as long as `slot` is read.
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

  /// Puts one owner's memory inside another's if it fits there.
  private mutating func unite(_ child: Int, _ owner: Int, at begin: Int) {
    guard begin >= 0, bytes[child] <= bytes[owner] - begin else { return }
    shared.put(child, in: owner, at: begin)
    if begin != 0 || hasParts[child] { hasParts[owner] = true }
    first[owner] = min(first[owner], first[child])
    last[owner] = max(last[owner], last[child])
  }

  /// Avoids copies of slices. An output that is a contiguous slice of an operand is placed inside the operand's memory.
  /// An operand that becomes a slice of an output is placed inside the output's memory. Applies to arena memory only.
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

  /// Places the memory of `parts` inside that of `whole`. A part that shares memory with other values moves with all of
  /// them. They must all be parts here, at the same distances from each other, and must cover their owner's memory.
  private mutating func join(_ parts: [(slot: Int, target: Int)], into whole: Int) {
    let (owner, begin) = place(whole)
    guard let arena = arenas[owner], arena < deviceCount else { return }
    var groups: [Int: [Int: (target: Int, bytes: Int)]] = [:]
    for part in parts {
      let (child, own) = place(part.slot)
      // A value that occurs twice is stored at the first of its targets.
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

  /// Alignment in bytes of parts, so that vector accesses stay within cache lines.
  private static let alignment = 32

  // MARK: layout

  /// The offset of each planned value in its arena, and the size of each arena. The offset is 0 for unused values and
  /// for values in external memory.
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
