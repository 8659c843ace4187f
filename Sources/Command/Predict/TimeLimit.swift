import CoreMLBase
import CoreML
import CoreMLDelivery
import CoreMLRuntime
import Foundation
import Synchronization

/// Runs work so that a signal or a timeout stops it: between operations, in loops, in long references.
struct TimeLimit: Sendable {
  /// Seconds; nil for none.
  let seconds: Double?
  /// How long work that was told to stop may take to do so. Then it is left behind, with the process.
  let grace: Double

  init(seconds: Double?, grace: Double = Self.alone) {
    self.seconds = seconds
    self.grace = grace
  }

  /// The grace of work that is all there is to do.
  static let alone = 0.75
  /// The grace of work that more is to follow.
  static let amongOthers = 5.0

  /// Runs what reads inputs: on the caller's thread where no limit is set, for a batch reads each row.
  /// The work may hold `body` for a moment longer than the call lasts, so `body` escapes.
  func reading<Value>(_ what: String, _ body: @escaping () throws -> Value) throws -> Value {
    guard seconds != nil else { return try body() }
    let work = UncheckedSendable(body)
    return try run("reading \(what)") { UncheckedSendable(try work.value()) }
  }

  /// - Parameter what: what takes too long, as a sentence begins.
  func run<Value>(_ what: String, _ body: @escaping @Sendable () throws -> UncheckedSendable<Value>) throws -> Value {
    // On the caller's thread: another one would have to be woken for each prediction.
    guard let seconds else { return try Interruption.shared.during { try body().value } }
    let sentence = "\(what) took longer than \(RuntimeLimit.loadTime.text(seconds)) and was stopped"
    let watchdog = DispatchWorkItem {
      Console.complain(sentence)
      CleanShutdownMark.announce()
      TemporaryFolders.shared.removeAll()
      _exit(ExitStatus.temporary.rawValue)
    }
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + seconds + grace, execute: watchdog)
    defer { watchdog.cancel() }
    return try Interruption.shared.run {
      let late = Atomic(false)
      let work = Task { try await offCaller(body) }
      let alarm = Task {
        try await Task.sleep(for: .seconds(seconds))
        late.store(true, ordering: .relaxed)
        work.cancel()
      }
      defer { alarm.cancel() }
      do {
        return try await withTaskCancellationHandler {
          try await work.value
        } onCancel: {
          work.cancel()
        }
      } catch  where late.load(ordering: .relaxed) {
        throw Failure(.temporary, sentence)
      }
    }.value
  }
}
