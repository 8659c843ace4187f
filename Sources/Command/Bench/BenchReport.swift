import CoreMLKernels
import CoreMLRuntime
import Foundation

/// The results of a measurement.
struct BenchReport: Encodable {
  struct Latency: Encodable {
    let mean: Double
    let min: Double
    let p50: Double
    let p90: Double
    let p95: Double
    let p99: Double
    let max: Double
  }

  /// Where the states of a prediction come from.
  enum States: String, Encodable {
    /// The previous prediction.
    case kept
    /// Zeros.
    case fresh

    var words: String { self == .kept ? ", each with the states of the one before" : ", each from states of zeros" }
  }

  let loadSeconds: Double
  let firstSeconds: Double
  let iterations: Int
  /// Milliseconds per prediction, or per batch.
  let latency: Latency
  var latencyUnit = "ms"
  let rowsPerSecond: Double
  let peakMemoryBytes: Int
  /// max |found - expected| / max |expected|, with --compare.
  let error: Double?
  /// Nil for a model without states.
  var states: States?
  var profile: [StepProfile.Step]?
  var roofline: Roofline?

  init(loadSeconds: Double, firstSeconds: Double, samples: [Double], wallSeconds: Double, rows: Int, error: Double?) {
    self.loadSeconds = loadSeconds
    self.firstSeconds = firstSeconds
    self.error = error
    iterations = samples.count
    let sorted = samples.sorted()
    // The nearest rank, which is always a measured time.
    func rank(_ share: Double) -> Double {
      guard !sorted.isEmpty else { return 0 }
      return sorted[Swift.min(Swift.max(Int((share * Double(sorted.count)).rounded(.up)) - 1, 0), sorted.count - 1)]
        * 1e3
    }
    latency = Latency(
      mean: samples.reduce(0, +) / Double(Swift.max(samples.count, 1)) * 1e3, min: rank(0), p50: rank(0.5),
      p90: rank(0.9),
      p95: rank(0.95), p99: rank(0.99), max: rank(1))
    rowsPerSecond = wallSeconds > 0 ? Double(samples.count * rows) / wallSeconds : 0
    peakMemoryBytes = Statistics.peakMemory
  }

  func say() {
    func ms(_ value: Double) -> String { String(format: "%.3f ms", value) }
    var rows = [
      ["load", ms(loadSeconds * 1e3)], ["first", ms(firstSeconds * 1e3)], ["median", ms(latency.p50)],
      ["mean", ms(latency.mean)],
      ["min", ms(latency.min)], ["p90", ms(latency.p90)], ["p99", ms(latency.p99)], ["max", ms(latency.max)],
      ["rows/s", String(format: "%.1f", rowsPerSecond)], ["memory", Console.bytes(peakMemoryBytes)],
    ]
    if let error { rows.append(["error", String(format: "%.3g", error)]) }
    Console.say(Console.table(rows, rightAligned: [1]))
    Console.say("\(iterations) predictions\(states?.words ?? "")")
    guard let profile else { return }
    let total = profile.reduce(0) { $0 + $1.seconds }
    func rate(_ value: Double?) -> String { value.map { String(format: $0 < 10 ? "%.1f" : "%.0f", $0) } ?? "" }
    var table = [["SHARE", "TIME", "GFLOP/S", "GB/S", "ROOFLINE", "OPERATION", "OUTPUT", "DEVICE", "KERNEL"]]
    for step in profile.sorted(by: { $0.seconds > $1.seconds }) {
      table.append([
        String(format: "%.1f %%", total > 0 ? step.seconds / total * 100 : 0), ms(step.seconds * 1e3),
        rate(step.gigaflopsPerSecond), rate(step.gigabytesPerSecond),
        step.rooflineShare.map { String(format: "%.0f %%", $0 * 100) } ?? "", step.operation,
        Console.oneLine(step.output), step.device, step.kernel,
      ])
    }
    Console.say("")
    Console.say(Console.table(table, rightAligned: [0, 1, 2, 3, 4]))
    if let roofline { Console.say(roofline.text) }
  }
}

extension Roofline {
  /// One sentence for people.
  fileprivate var text: String {
    let rates = levels.map {
      String(format: "%.0f GB/s up to %@", $0.bytesPerSecond / 1e9, Console.bytes(Int($0.bytes)))
    }
    return String(format: "the roofline of this machine, on the same threads: %.0f GFLOP/s; ", flops / 1e9)
      + rates.joined(separator: ", ") + " and beyond"
  }
}
