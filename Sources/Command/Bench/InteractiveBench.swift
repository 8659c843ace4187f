import CoreML
import Foundation

/// Serves a harness that interleaves runtimes: one command per line on standard input, one JSON object per line on
/// standard output.
struct InteractiveBench {
  private let workload: BenchWorkload

  private let state: MLState?

  init(_ workload: BenchWorkload) { (self.workload, state) = (workload, workload.makeState()) }

  private struct Ready: Encodable {
    let ready = 1
    let loadS: Double
    let firstS: Double
    let err: Double?

    enum CodingKeys: String, CodingKey {
      case ready, err
      case loadS = "load_s"
      case firstS = "first_s"
    }
  }

  private struct Times: Encodable { let ms: [Double] }

  func serve(loadSeconds: Double, firstSeconds: Double, error: Double?) throws {
    try say(Ready(loadS: loadSeconds, firstS: firstSeconds, err: error))
    while let line = readLine() {
      try Interruption.shared.check()
      let words = line.split(separator: " ")
      switch words.first {
      case "quit": return
      case nil: continue
      case "run":
        guard words.count == 3, let seconds = Double(words[1]), seconds >= 0, let least = Int(words[2]), least >= 0
        else {
          throw Failure(.usage, "standard input has '\(line)', expected run SECONDS MINITER")
        }
        try say(Times(ms: times(seconds: seconds, least: least)))
      default: throw Failure(.usage, "standard input has '\(line)', expected run SECONDS MINITER or quit")
      }
    }
  }

  private func times(seconds: Double, least: Int) throws -> [Double] {
    var times: [Double] = []
    let all = Stopwatch()
    while all.seconds < seconds || times.count < least {
      try Interruption.shared.check()
      let one = Stopwatch()
      try workload.predict(using: state)
      times.append(one.seconds * 1e3)
    }
    return times
  }

  /// Writes one line in one piece.
  private func say<Value: Encodable>(_ value: Value) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    Console.say(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
