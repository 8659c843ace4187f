import CoreMLBase
import CoreMLSpec
import Foundation
import Synchronization

/// The times of a run, for `--stats` and progress lines.
final class Statistics: Sendable {
  /// The stages of a row, in order.
  enum Stage: Int, CaseIterable {
    case read, predict, encode, write

    var doing: String {
      switch self {
      case .read: "reading"
      case .predict: "predicting"
      case .encode: "encoding"
      case .write: "writing"
      }
    }
  }

  private struct State {
    var rows = 0
    /// Seconds by stage, summed over all threads.
    var seconds = Stage.allCases.map { _ in 0.0 }
    /// Number of threads that share all stages except the last.
    var width = 1
  }

  private let loadSeconds: Double
  private let state = Mutex(State())

  init(loadSeconds: Double) { self.loadSeconds = loadSeconds }

  /// From now on `width` threads read, predict and encode, and one thread writes.
  func begin(width: Int) { state.withLock { $0.width = width } }

  func add(_ seconds: Double, to stage: Stage, rows: Int = 0) {
    state.withLock {
      $0.rows += rows
      $0.seconds[stage.rawValue] += seconds
    }
  }

  /// Runs work of a stage.
  func measure<Result>(_ stage: Stage, _ work: () throws -> Result) rethrows -> Result {
    let watch = Stopwatch()
    defer { add(watch.seconds, to: stage) }
    return try work()
  }

  /// The stage that limits the throughput; nil before anything is measured.
  var slowest: Stage? {
    let (seconds, width) = state.withLock { ($0.seconds, $0.width) }
    func busy(_ stage: Stage) -> Double { seconds[stage.rawValue] / Double(stage == .write ? 1 : width) }
    return Stage.allCases.max { busy($0) < busy($1) }.flatMap { busy($0) > 0 ? $0 : nil }
  }

  var sentence: String {
    let (rows, seconds) = state.withLock { ($0.rows, $0.seconds) }
    let predicted = seconds[Stage.predict.rawValue]
    let others = Stage.allCases.filter { $0 != .predict && seconds[$0.rawValue] > 0 }.map {
      String(format: "%@ %.3f s", $0.doing, seconds[$0.rawValue])
    }
    return String(
      format: "loaded in %.3f s, predicted %d row%@ in %.3f s (%.3f ms each), %@peak memory %@", loadSeconds, rows,
      rows == 1 ? "" : "s", predicted, rows > 0 ? predicted / Double(rows) * 1e3 : 0.0,
      others.map { "\($0), " }.joined(), Console.bytes(Self.peakMemory))
  }

  /// The peak memory of the process, in bytes.
  static var peakMemory: Int {
    let text = OpenFile.contents(atPath: "/proc/self/status").map { String(decoding: $0, as: UTF8.self) } ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
  }
}
