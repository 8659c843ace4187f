import CoreML
import CoreMLBase
import CoreMLDelivery
import CoreMLRuntime
import Foundation
import Synchronization

/// Runs work that a signal or a timeout can stop: between operations, in loops, in long reference kernels.
struct TimeLimit: Sendable {
  /// Seconds; nil for no limit.
  let seconds: Double?
  /// How long work may run after a request to stop. Then the process ends without it.
  let grace: Double

  init(seconds: Double?, grace: Double = Self.alone) {
    self.seconds = seconds
    self.grace = grace
  }

  /// The grace if the work is all that the command does.
  static let alone = 0.75
  /// The grace if more work follows.
  static let amongOthers = 5.0

  /// Reads inputs. Without a limit it runs on the calling thread, as a batch reads each row. The work may hold `body`
  /// slightly longer than the call, so `body` escapes.
  func reading<Value>(_ what: String, _ body: @escaping () throws -> Value) throws -> Value {
    guard seconds != nil else { return try body() }
    let work = UncheckedSendable(body)
    return try run("reading \(what)") { UncheckedSendable(try work.value()) }
  }

  /// - Parameter what: The work, as the beginning of the error message.
  func run<Value>(_ what: String, _ body: @escaping @Sendable () throws -> UncheckedSendable<Value>) throws -> Value {
    // On the calling thread: waking another thread would cost time in each prediction.
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
