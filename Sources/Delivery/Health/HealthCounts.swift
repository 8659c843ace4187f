/// A histogram of prediction latencies. The upper limits of its classes form a geometric series with the factor
/// sqrt(2).
struct LatencyHistogram: Sendable, Equatable {
  static let classes = 64
  /// The first class ends at one microsecond; the last one begins at about half an hour.
  private(set) var counts = [UInt32](repeating: 0, count: Self.classes)

  init() {}

  /// - Parameter counts: one count for each class.
  init?(counts: [UInt32]) {
    guard counts.count == Self.classes else { return nil }
    self.counts = counts
  }

  var count: Int { counts.reduce(0) { $0 + Int($1) } }

  mutating func add(_ latency: Duration) {
    var (index, limit) = (0, 1.0)
    let microseconds = latency / .microseconds(1)
    while index < Self.classes - 1, microseconds > limit {
      index += 1
      limit *= 2.0.squareRoot()
    }
    counts[index] &+= 1
  }

  mutating func add(_ other: LatencyHistogram) {
    for index in counts.indices { counts[index] &+= other.counts[index] }
  }

  /// The upper limit of the class that contains the median; nil if there are no samples.
  var median: Duration? {
    let half = (count + 1) / 2
    guard half > 0 else { return nil }
    var (seen, limit) = (0, 1.0)
    for count in counts {
      seen += Int(count)
      if seen >= half { return .microseconds(1) * limit }
      limit *= 2.0.squareRoot()
    }
    return nil
  }
}

/// The outcome counts of one model.
struct HealthCounts: Sendable, Equatable {
  var loads = 0
  var loadFailures = 0
  /// Successful predictions.
  var predictions = 0
  var predictionFailures = 0
  /// Processes that died while they loaded the model or predicted with it.
  var crashes = 0
  var latencies = LatencyHistogram()

  mutating func add(_ other: HealthCounts) {
    loads += other.loads
    loadFailures += other.loadFailures
    predictions += other.predictions
    predictionFailures += other.predictionFailures
    crashes += other.crashes
    latencies.add(other.latencies)
  }
}

/// The counts of one process in file format, little-endian: six 64-bit integers, then the 32-bit histogram counts.
struct HealthRecord: Sendable, Equatable {
  private static let magic: UInt64 = 0x3148_544C_484C_4D43
  static let size = 6 * 8 + LatencyHistogram.classes * 4
  /// The file offset of ``running``.
  static let runningOffset: Int64 = 5 * 8

  var counts = HealthCounts()
  /// The number of unfinished loads and predictions. If the process has ended, it died during them.
  var running = 0

  init() {}

  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    func word(_ index: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * UInt64($1)) } }
    guard word(0) == Self.magic else { return nil }
    // Values are clamped, so that sums over many corrupt records cannot overflow.
    func number(_ index: Int) -> Int { Int(min(word(index), 1 << 40)) }
    let classes = (0..<LatencyHistogram.classes).map { index in
      (0..<4).reduce(0 as UInt32) { $0 | UInt32(bytes[48 + index * 4 + $1]) << (8 * UInt32($1)) }
    }
    guard let latencies = LatencyHistogram(counts: classes) else { return nil }
    (counts.loads, counts.loadFailures) = (number(1), number(2))
    (counts.predictions, counts.predictionFailures) = (number(3), number(4))
    running = number(5)
    counts.latencies = latencies
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size)
    let words = [counts.loads, counts.loadFailures, counts.predictions, counts.predictionFailures, running]
    for word in [Self.magic] + words.map(UInt64.init) { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    for count in counts.latencies.counts { withUnsafeBytes(of: count.littleEndian) { bytes += $0 } }
    return bytes
  }
}
