/// How many predictions took how long, in classes that are a factor of the square root of two apart.
struct LatencyHistogram: Sendable, Equatable {
  static let classes = 64
  /// The first class is up to a microsecond, the last from half an hour on.
  private(set) var counts = [UInt32](repeating: 0, count: Self.classes)

  init() {}

  /// - Parameter counts: one for each class.
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

  /// The upper end of the class that the middle one belongs to; nil when there is none.
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

/// What was counted of one model.
struct HealthCounts: Sendable, Equatable {
  var loads = 0
  var loadFailures = 0
  /// Those that gave outputs.
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

/// What one process has counted, as it lies in its file: numbers of 64 bits, then those of the histogram, little-endian.
struct HealthRecord: Sendable, Equatable {
  private static let magic: UInt64 = 0x3148_544C_484C_4D43
  static let size = 6 * 8 + LatencyHistogram.classes * 4
  /// Where ``running`` stands.
  static let runningOffset: Int64 = 5 * 8

  var counts = HealthCounts()
  /// Loads and predictions that have begun and not ended. A process that is no more and has some died in them.
  var running = 0

  init() {}

  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    func word(_ index: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * UInt64($1)) } }
    guard word(0) == Self.magic else { return nil }
    // Whatever the bytes say, sums of many such numbers do not overflow.
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
