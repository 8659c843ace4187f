/// Run times of a model: moving averages by bucket, and the median of the latest runs.
struct RunEstimate {
  /// The weight of the newest run in the averages.
  private static let newest = 0.2
  /// Shapes are chosen by clients, so their number must be bounded.
  private static let maximumBuckets = 64
  private static let window = 31

  /// Seconds of a row over all buckets; nil before the first run.
  private var average: Double?
  private var averages: [String: Double] = [:]
  private var latest: [Double] = []
  private var next = 0
  private(set) var median: Double?

  init(runSeconds: Double?) { (average, median) = (runSeconds, runSeconds) }

  /// The expected seconds of one row; 0 if nothing is known.
  func row(_ shapes: String) -> Double { averages[shapes] ?? average ?? 0 }

  mutating func add(_ seconds: Double, rows: Int, shapes: String) {
    let row = seconds / Double(max(rows, 1))
    average = Self.blend(average, row)
    if averages[shapes] == nil, averages.count >= Self.maximumBuckets { averages.removeAll(keepingCapacity: true) }
    averages[shapes] = Self.blend(averages[shapes], row)
    if latest.count < Self.window {
      latest.append(seconds)
    } else {
      latest[next] = seconds
      next = (next + 1) % Self.window
    }
    // Sorting for each of many short runs would cost more than they do.
    if latest.count < Self.window || next % 8 == 0 { median = latest.sorted()[latest.count / 2] }
  }

  private static func blend(_ old: Double?, _ new: Double) -> Double {
    old.map { $0 + newest * (new - $0) } ?? new
  }
}
