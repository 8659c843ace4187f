/// When each value is alive and which values share memory: what the layout of the arena is made from.
struct Lifetimes {
  enum Place {
    case offset(Int)
    /// No planned memory.
    case none
  }

  private let isPlanned: [Bool]
  private let bytes: [Int]
  private var root: [Int]
  private var first: [Int]
  private var last: [Int]

  init(count: Int, isPlanned: [Bool], bytes: [Int]) {
    self.isPlanned = isPlanned
    self.bytes = bytes
    root = Array(0..<count)
    first = Array(repeating: Int.max, count: count)
    last = Array(repeating: Int.min, count: count)
  }

  mutating func touch(_ slot: Int, at time: Int) {
    let owner = find(slot)
    first[owner] = min(first[owner], time)
    last[owner] = max(last[owner], time)
  }

  /// Whether `slot`'s memory may be overwritten by `output` at `time`: planned memory of the same size, read for the last time.
  func canTakeOver(_ slot: Int, by output: Int, at time: Int) -> Bool {
    let owner = find(slot)
    return isPlanned[owner] && bytes[owner] == bytes[output] && last[owner] == time && find(output) != owner
  }

  /// Lets `slot` be the bytes of `other`, when those are planned memory.
  mutating func alias(_ slot: Int, to other: Int) {
    let child = find(slot)
    let owner = find(other)
    guard child != owner, isPlanned[owner] else { return }
    root[child] = owner
    first[owner] = min(first[owner], first[child])
    last[owner] = max(last[owner], last[child])
  }

  func layOut() throws -> (places: [Place], totalBytes: Int) {
    let owners = root.indices.filter { root[$0] == $0 && isPlanned[$0] && last[$0] != Int.min }
    let memory = try MemoryPlan(
      owners.map { MemoryPlan.Interval(first: first[$0], last: last[$0], bytes: bytes[$0]) })
    var offset: [Int: Int] = [:]
    for (number, owner) in owners.enumerated() { offset[owner] = memory.offsets[number] }
    let places = root.indices.map { slot -> Place in
      let owner = find(slot)
      if let place = offset[owner] { return .offset(place) }
      return isPlanned[slot] ? .offset(0) : .none  // planned and never touched: nobody reads it
    }
    return (places, memory.totalBytes)
  }

  private func find(_ slot: Int) -> Int {
    var slot = slot
    while root[slot] != slot { slot = root[slot] }
    return slot
  }
}
