import CoreML
import CoreMLDelivery
import Foundation
import Synchronization

/// The shared state of the threads of one process.
final class WorkBench: Sendable {
  let place: Place
  let questions: Questions
  let channel: ModelChannel
  /// Opens the channel again.
  let source: @Sendable () throws -> ModelChannel
  let installing: Installing
  let log = WorkLog()
  /// The expected outputs, by digest, and for baselines by source name.
  private let answers: [String: [String]]
  let models: [String]
  /// Sources that may be installed by hand.
  let sources: [URL]

  init(
    place: Place, questions: Questions, channel: ModelChannel, known: [KnownModel],
    source: @escaping @Sendable () throws -> ModelChannel, installing: Installing
  ) {
    (self.place, self.questions, self.channel, self.source, self.installing) = (
      place, questions, channel, source, installing
    )
    answers = Dictionary(known.flatMap { [($0.digest, $0.answers), (Self.file(of: $0.path), $0.answers)] }) {
      first, _ in
      first
    }
    models = Set(known.map { Self.name(of: $0.path) }).sorted()
    sources = known.map { URL(filePath: $0.path) }
  }

  /// Sources are named `NAME-NUMBER`, with the model's name in the channel.
  private static func file(of path: String) -> String { URL(filePath: path).deletingPathExtension().lastPathComponent }
  private static func name(of path: String) -> String { String(file(of: path).prefix { $0 != "-" }) }

  func take(_ action: Action, _ chance: inout Chance) {
    do {
      try action.body(self, &chance)
      log.count(action.name)
    } catch let wrong as WrongAnswer {
      log.wrong("\(action.name): \(wrong.message)")
    } catch {
      log.failed(action.name, error)
    }
  }

  /// - Throws: ``WrongAnswer`` if the output differs from the expected one of the digest.
  func compare(_ output: any MLFeatureProvider, _ number: Int, digest: String) throws {
    guard let answers = answers[digest] else { throw WrongAnswer(message: "nobody published \(digest)") }
    let text = Questions.text(of: output)
    if text != answers[number] {
      throw WrongAnswer(
        message: "\(digest.prefix(12)), question \(number): \(text.prefix(200)), not \(answers[number].prefix(200))")
    }
  }

  /// Compares an output with those of all models, if the model is unknown.
  func compareWithAny(_ output: any MLFeatureProvider, _ number: Int) throws {
    let text = Questions.text(of: output)
    if !answers.values.contains(where: { $0[number] == text }) {
      throw WrongAnswer(message: "question \(number): no model answers \(text.prefix(200))")
    }
  }
}

/// An output that differs from all expected ones.
struct WrongAnswer: Error {
  let message: String
}

/// A reproducible random number generator (SplitMix64).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func pick(_ actions: [Action]) -> Action {
    var left = Int.random(in: 0..<actions.reduce(0) { $0 + $1.weight }, using: &self)
    for action in actions {
      left -= action.weight
      if left < 0 { return action }
    }
    return actions[0]
  }
}

private final class Box<Value: Sendable>: Sendable {
  let result = Mutex<Swift.Result<Value, any Error>?>(nil)
}

/// Blocks until asynchronous work has ended, and returns its result.
func waiting<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
  let (box, done) = (Box<Result>(), DispatchSemaphore(value: 0))
  Task {
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    box.result.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  guard let result = box.result.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}
