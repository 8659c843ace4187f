import CoreMLBase

/// Lays out values in one arena so that values with overlapping lifetimes do not overlap in memory. Values are placed
/// by size, largest first, each at the lowest offset that is free over its whole lifetime. That takes time quadratic in
/// the number of values that are live at once. If this number is large, values are placed in the order of their first
/// use instead.
struct MemoryPlan {
  struct Interval {
    /// The first and last step that accesses the value.
    var first: Int
    var last: Int
    let bytes: Int
  }

  private(set) var offsets: [Int]
  private(set) var totalBytes = 0

  static let alignment = 64

  /// Values are placed largest first if a value overlaps in time with at most this many others, on average.
  private static let mostNeighbours = 256

  init(_ intervals: [Interval]) throws {
    offsets = Array(repeating: 0, count: intervals.count)
    let order = intervals.indices.sorted {
      (intervals[$0].first, intervals[$1].bytes, $0) < (intervals[$1].first, intervals[$0].bytes, $1)
    }
    if Self.countNeighbours(intervals, order) <= Self.mostNeighbours * max(intervals.count, 64) {
      try placeLargestFirst(intervals)
    } else {
      try placeInTime(intervals, order)
    }
  }

  private mutating func place(_ index: Int, _ interval: Interval, at offset: Int) throws {
    guard interval.bytes <= Self.limit, offset <= Self.limit else {
      throw RuntimeError(.evaluation, "the model's intermediate results need more than \(Self.limit >> 30) GiB")
    }
    offsets[index] = offset
    totalBytes = max(totalBytes, offset + interval.bytes)
  }

  private static let limit = 256 << 30

  static func aligned(_ bytes: Int) -> Int { (bytes + alignment - 1) / alignment * alignment }

  /// The number of pairs of simultaneously live values. `order` sorts the intervals by first step.
  private static func countNeighbours(_ intervals: [Interval], _ order: [Int]) -> Int {
    let ends = intervals.map(\.last).sorted()
    var (ended, pairs) = (0, 0)
    for (number, index) in order.enumerated() {
      while ended < ends.count, ends[ended] < intervals[index].first { ended += 1 }
      pairs += number - ended
    }
    return pairs
  }

  // MARK: largest first

  private mutating func placeLargestFirst(_ intervals: [Interval]) throws {
    var placed = PlacedIntervals(intervals)
    for index in intervals.indices.sorted(by: { (intervals[$0].bytes, $1) > (intervals[$1].bytes, $0) }) {
      let interval = intervals[index]
      var candidate = 0
      for other in placed.neighbours(of: index).sorted(by: { offsets[$0] < offsets[$1] }) {
        if offsets[other] >= candidate + interval.bytes { break }
        candidate = max(candidate, Self.aligned(offsets[other] + intervals[other].bytes))
      }
      try place(index, interval, at: candidate)
      placed.insert(index)
    }
  }

  // MARK: by first use

  /// First fit over a list of free ranges. Ranges are freed when their values die.
  private mutating func placeInTime(_ intervals: [Interval], _ order: [Int]) throws {
    var free = FreeRanges()
    let endings = intervals.indices.sorted { intervals[$0].last < intervals[$1].last }
    var ended = 0
    for index in order {
      while ended < endings.count, intervals[endings[ended]].last < intervals[index].first {
        let over = endings[ended]
        free.giveBack(offsets[over], Self.aligned(intervals[over].bytes))
        ended += 1
      }
      try place(index, intervals[index], at: free.take(Self.aligned(intervals[index].bytes)))
    }
  }
}
