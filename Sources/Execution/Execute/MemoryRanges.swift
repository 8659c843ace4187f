/// A set of memory ranges, preprocessed for repeated overlap queries.
struct MemoryRanges {
  /// Sorted by start address. Each `end` is the maximum of all ends up to that entry.
  private var sorted: [(begin: UInt, end: UInt)]

  init(_ ranges: [Range<UnsafeRawPointer>]) {
    sorted = ranges.filter { !$0.isEmpty }.map { (UInt(bitPattern: $0.lowerBound), UInt(bitPattern: $0.upperBound)) }
    sorted.sort { $0.begin < $1.begin }
    for index in sorted.indices.dropFirst() { sorted[index].end = max(sorted[index].end, sorted[index - 1].end) }
  }

  func overlaps(_ range: Range<UnsafeRawPointer>) -> Bool {
    guard !range.isEmpty else { return false }
    let (begin, end) = (UInt(bitPattern: range.lowerBound), UInt(bitPattern: range.upperBound))
    // The number of ranges that start before `range` ends.
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].begin < end { low = middle + 1 } else { high = middle }
    }
    return low > 0 && sorted[low - 1].end > begin
  }
}
