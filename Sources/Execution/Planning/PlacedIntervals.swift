/// A set of placed intervals with a search for those that overlap a given one. These are the intervals that contain its
/// first step, found in a segment tree over time, and those that start within it. Time is counted in distinct first
/// steps only, since other steps do not change the result.
struct PlacedIntervals {
  /// The indices of the first and last distinct start step within each interval.
  private let spans: [(first: Int, last: Int)]
  private let leaves: Int
  private var tree: [[Int]]
  private var beginnings: [[Int]]

  init(_ intervals: [MemoryPlan.Interval]) {
    let times = Set(intervals.lazy.map(\.first)).sorted()
    /// The number of start steps that are not after `step`.
    func count(to step: Int) -> Int {
      var (low, high) = (0, times.count)
      while low < high {
        let middle = (low + high) / 2
        if times[middle] <= step { low = middle + 1 } else { high = middle }
      }
      return low
    }
    spans = intervals.map { (count(to: $0.first) - 1, count(to: $0.last) - 1) }
    var leaves = 1
    while leaves < times.count { leaves *= 2 }
    self.leaves = leaves
    tree = Array(repeating: [], count: 2 * leaves)
    beginnings = Array(repeating: [], count: times.count)
  }

  mutating func insert(_ index: Int) {
    var (low, high) = (leaves + spans[index].first, leaves + spans[index].last + 1)
    beginnings[spans[index].first].append(index)
    while low < high {
      if low & 1 == 1 {
        tree[low].append(index)
        low += 1
      }
      if high & 1 == 1 {
        high -= 1
        tree[high].append(index)
      }
      low /= 2
      high /= 2
    }
  }

  func neighbours(of index: Int) -> [Int] {
    var all: [Int] = []
    var node = leaves + spans[index].first
    while node > 0 {
      all += tree[node]
      node /= 2
    }
    for step in spans[index].first..<spans[index].last where !beginnings[step + 1].isEmpty {
      all += beginnings[step + 1]
    }
    return all
  }
}
