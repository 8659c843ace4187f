/// The waiting requests of one bucket, most urgent first.
struct BucketQueue {
  /// A waiting request.
  struct Entry {
    var id: UInt64
    /// The time of submission plus a delay for each level of priority. The least rank runs first, so nothing waits forever.
    var rank: ContinuousClock.Instant
    var submitted: ContinuousClock.Instant
    var deadline: ContinuousClock.Instant?
    /// The expected seconds of its run, as if it took a whole slot.
    var cost: Double

    func precedes(_ other: Entry) -> Bool { (rank, id) < (other.rank, other.id) }
  }

  private(set) var entries: [Entry] = []
  /// The taken entries at the front of `entries`.
  private var taken = 0
  /// The runs of the bucket that have started and not ended.
  var running = 0

  var isEmpty: Bool { taken == entries.count }
  var first: Entry? { taken < entries.count ? entries[taken] : nil }
  var waiting: ArraySlice<Entry> { entries[taken...] }

  mutating func insert(_ entry: Entry) {
    var place = entries.count
    while place > taken, entry.precedes(entries[place - 1]) { place -= 1 }
    entries.insert(entry, at: place)
  }

  mutating func take() -> Entry? {
    guard let entry = first else { return nil }
    taken += 1
    // Keeps taking cheap for long queues.
    if taken == entries.count || taken > 64 && taken * 2 > entries.count {
      entries.removeFirst(taken)
      taken = 0
    }
    return entry
  }

  mutating func remove(_ id: UInt64) -> Entry? {
    guard let place = entries[taken...].firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: place)
  }
}
