/// Lays values out in one arena so that no two that live at the same time overlap: largest first, each at the lowest offset
/// that is free over its whole life.
struct MemoryPlan {
  struct Interval {
    /// First and last step that touches the value.
    var first: Int
    var last: Int
    let bytes: Int
  }

  private(set) var offsets: [Int]
  private(set) var totalBytes = 0

  static let alignment = 64

  init(_ intervals: [Interval]) throws {
    offsets = Array(repeating: 0, count: intervals.count)
    let order = intervals.indices.sorted { (intervals[$0].bytes, $1) > (intervals[$1].bytes, $0) }
    var placed: [Int] = []  // in order of offset
    for index in order {
      let interval = intervals[index]
      var candidate = 0
      for other in placed where intervals[other].last >= interval.first && intervals[other].first <= interval.last {
        if offsets[other] >= candidate + interval.bytes { break }
        candidate = max(candidate, Self.aligned(offsets[other] + intervals[other].bytes))
      }
      offsets[index] = candidate
      guard interval.bytes <= Self.limit, candidate <= Self.limit else {
        throw RuntimeError(.evaluation, "the model's intermediate results need more than \(Self.limit >> 30) GiB")
      }
      totalBytes = max(totalBytes, candidate + interval.bytes)
      let position = placed.firstIndex { offsets[$0] > candidate } ?? placed.endIndex
      placed.insert(index, at: position)
    }
  }

  private static let limit = 256 << 30

  static func aligned(_ bytes: Int) -> Int { (bytes + alignment - 1) / alignment * alignment }
}
