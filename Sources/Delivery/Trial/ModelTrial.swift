import CPlatform
import CoreMLRuntime
import Foundation
import Synchronization

/// Runs a model's trial under a policy, and distinguishes faults of the model from other failures.
struct ModelTrial: Sendable {
  let policy: TrialPolicy.Settled
  let configuration: @Sendable () -> MLModelConfiguration

  /// The inputs of a trial.
  struct Task {
    var model: URL
    var form: StoredModel.Form
    let digest: String
    let name: String
    var compiled: URL?
    var key: ModelKey?
    var golden: [GoldenFiles] = []
    var fits: URL?
  }

  /// - Throws: ``DeliveryError``; `CancellationError` if the caller's task is cancelled, which is not a fault of the
  ///   model.
  func run(_ task: Task) throws {
    try _Concurrency.Task.checkCancellation()
    let order = try order(task)
    do {
      guard let helper = TrialHelper.program(policy.helper) else {
        return try withoutHelper(order, task.key, "there is no helper program")
      }
      do { try inChild(helper, order, task.key) } catch let error as DeliveryError where error.code == .noTrialHelper {
        try withoutHelper(order, task.key, error.description)
      } catch let error as DeliveryError where error.code == .needsApplication && !TrialProcess.isOffered {
        try withoutHelper(order, task.key, error.description)
      }
    } catch let error as DeliveryError where error.code == .needsApplication {
      throw DeliveryError(.doesNotLoad, error.message, file: error.file)
    }
  }

  private func order(_ task: Task) throws -> TrialOrder {
    TrialOrder(
      nonce: UUID().uuidString, parent: getpid(), memory: policy.memory, model: task.model, form: task.form,
      digest: task.digest, name: task.name, compiled: task.compiled, golden: task.golden, fits: task.fits,
      settings: try TrialOrder.Settings(configuration()))
  }

  // MARK: trial in a helper process

  private func inChild(_ helper: URL, _ order: TrialOrder, _ key: ModelKey?) throws {
    let contents = try ModelContents(of: order.model)
    let seconds = policy.limit(ofModel: contents.size)
    let environment = ProcessInfo.processInfo.environment.merging(["COREML_MEMORY_LIMIT": "\(policy.memory)"]) { $1 }
    let end = try TrialChild.run(
      helper, order: order.message(key), environment: environment, seconds: seconds
    ) { _Concurrency.Task.isCancelled }
    if end.isStopped || _Concurrency.Task.isCancelled { throw CancellationError() }
    // A supervisor such as systemd stops all processes of a service at once. The helper may then end before this
    // process, which is not a fault of the model. A signal to the helper alone, for example from a userspace
    // out-of-memory killer, counts.
    if let signal = end.signal, Self.stopping.contains(signal), Self.isToldToStop() { throw CancellationError() }
    let text = String(decoding: end.report, as: UTF8.self)
    guard text.hasPrefix(TrialReport.ready) else {
      if end.isTimedOut {
        throw DeliveryError(
          .noTrialHelper, "the program does not answer within \(Int(seconds.rounded())) s", file: helper.path)
      }
      throw DeliveryError(
        .noTrialHelper, "the program cannot try models, or is of another release\(Self.words(end))", file: helper.path)
    }
    if end.isTimedOut {
      throw DeliveryError(
        .trialTimedOut, "the model was not compiled, loaded and tried within \(Int(seconds.rounded())) s",
        file: order.name)
    }
    if let signal = end.signal { throw died(of: signal, end, order) }
    let report = try? JSONDecoder().decode(
      TrialReport.self, from: Data(text.dropFirst(TrialReport.ready.count).utf8))
    guard let report, end.exit ?? 0 == 0, report.nonce == order.nonce, report.digest == order.digest else {
      let status = end.exit.map { " with status \($0)" } ?? ""
      throw DeliveryError(
        .trialCrashed, "the process that tried the model ended\(status), without a report\(Self.words(end))",
        file: order.name)
    }
    if let failure = report.failure(order.name) { throw failure }
    guard try ModelContents(of: order.model) == contents else {
      throw DeliveryError(.trialCrashed, "the model's files were changed by its trial", file: order.name)
    }
  }

  /// The signals that ask a program to stop.
  private static let stopping: Set<Int32> = [SIGTERM, SIGINT, SIGHUP]
  /// How long this process waits to find out that it was asked to stop as well.
  private static let notice = Duration.seconds(2)

  /// Returns whether this process is asked to stop within a short time: by cancellation, or by an announced end
  /// (``CleanShutdownMark``).
  private static func isToldToStop() -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + notice
    while clock.now < deadline {
      if _Concurrency.Task.isCancelled || cplatform_end_has_begun() { return true }
      usleep(10_000)
    }
    return false
  }

  private func died(of signal: Int32, _ end: TrialChild.End, _ order: TrialOrder) -> DeliveryError {
    let words = Self.words(end)
    // A failed allocation can end a process with different signals, so the peak memory use decides.
    let isFromOutside = signal == SIGKILL || Self.stopping.contains(signal)
    if !isFromOutside, end.peak > policy.memory / 4 * 3 {
      return DeliveryError(
        .trialOutOfMemory,
        "the model's trial took \(end.peak >> 20) MB, and \(policy.memory >> 20) MB were allowed\(words)",
        file: order.name)
    }
    let name = "signal \(signal), \(strsignal(signal).map { String(cString: $0) } ?? "unknown")"
    return DeliveryError(
      isFromOutside ? .trialKilled : .trialCrashed, "the process that tried the model was ended by \(name)\(words)",
      file: order.name)
  }

  /// Returns the last line of the helper's output, without control characters.
  private static func words(_ end: TrialChild.End) -> String {
    let text = String(decoding: end.words, as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).last(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      return ""
    }
    let plain = line.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
    return "; its last words: \(String(plain.prefix(300)))"
  }

  // MARK: trial in this process

  private func withoutHelper(_ order: TrialOrder, _ key: ModelKey?, _ reason: String) throws {
    guard !policy.requiresHelper else {
      throw DeliveryError(.noTrialHelper, "new models must be tried in a process of their own: \(reason)")
    }
    TrialHelper.tellAbsent(reason)
    TrialMark.current?.noteHere()
    // A helper that failed may have left a compiled model.
    if let compiled = order.compiled { try? FileManager.default.removeItem(at: compiled) }
    let bytes = try ModelContents(of: order.model).size
    try Self.here(order, key, Given(configuration()), seconds: policy.limit(ofModel: bytes))
  }

  private struct Given: @unchecked Sendable {
    let configuration: MLModelConfiguration
    init(_ configuration: MLModelConfiguration) { self.configuration = configuration }
  }

  /// How long a cancelled trial may take to end, in seconds; then it is abandoned.
  private static let grace = 5.0

  private static func here(_ order: TrialOrder, _ key: ModelKey?, _ given: Given, seconds: Double) throws {
    let shared = Outcome()
    let work = _Concurrency.Task.detached(executorPreference: TrialExecutor.shared) {
      let result: Result<Void, any Error>
      do {
        try await offCaller { try TrialWork.run(order, key, given.configuration) }
        result = .success(())
      } catch { result = .failure(error) }
      shared.end(result)
    }
    let clock = SuspendingClock()
    let deadline = clock.now + .seconds(seconds)
    while !shared.wait(0.02) {
      let isStopped = _Concurrency.Task.isCancelled
      guard isStopped || clock.now >= deadline else { continue }
      work.cancel()
      _ = shared.wait(grace)
      if isStopped { throw CancellationError() }
      throw DeliveryError(
        .trialTimedOut, "the model was not compiled, loaded and tried within \(Int(seconds.rounded())) s",
        file: order.name)
    }
    try shared.result?.get()
  }
}

/// The result of work on another thread.
private final class Outcome: Sendable {
  private let state = Mutex<Result<Void, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  var result: Result<Void, any Error>? { state.withLock { $0 } }

  func end(_ result: Result<Void, any Error>) {
    state.withLock { $0 = result }
    done.signal()
  }

  /// Waits for the end of the work, at most `seconds` seconds. Returns whether it has ended.
  func wait(_ seconds: Double) -> Bool { done.wait(timeout: .now() + seconds) == .success }
}
