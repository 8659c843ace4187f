/// The counts and times of one version of a model since it was loaded.
package struct ModelStatistics: Sendable {
  /// How often something happened, and how long it took in all.
  package struct Total: Sendable {
    package var count: UInt64 = 0
    package var nanoseconds: UInt64 = 0

    package init() {}

    package mutating func add(_ duration: Duration) {
      let parts = duration.components
      count += 1
      nanoseconds += UInt64(clamping: parts.seconds &* 1_000_000_000 &+ parts.attoseconds / 1_000_000_000)
    }
  }

  /// A histogram with fixed upper bounds in seconds; the last bucket has no bound.
  package struct Histogram: Sendable {
    package static let bounds = [
      0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    package var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    package var sum = 0.0

    package init() {}
  }

  package var name: String
  package var version: String
  /// Milliseconds since 1970 of the last inference; 0 for none.
  package var lastInference: UInt64 = 0
  /// The rows that were predicted.
  package var inferenceCount: UInt64 = 0
  /// The runs; a run may have several rows.
  package var executionCount: UInt64 = 0
  package var success = Total()
  package var failure = Total()
  package var queue = Total()
  package var computeInput = Total()
  package var computeInfer = Total()
  package var computeOutput = Total()
  /// Runs by their number of rows.
  package var batches: [Int: Total] = [:]
  /// Failures by error code.
  package var failures: [String: UInt64] = [:]
  package var waiting = 0
  package var running = 0
  package var memoryBytes: UInt64 = 0
  package var requestSeconds = Histogram()
  package var queueSeconds = Histogram()
  package var inferenceSeconds = Histogram()

  package init(name: String, version: String) { (self.name, self.version) = (name, version) }
}
