import CoreMLBase
import CoreMLDelivery
import Foundation
import MIL
import Synchronization

/// SIGINT and SIGTERM stop the work cleanly, between rows and between operations. A second signal, or work that does
/// not stop, ends the process immediately. Temporary files are removed in both cases.
final class Interruption: Sendable {
  static let shared = Interruption()

  private struct State {
    var signal: Int32?
    var sources: [UncheckedSendable<any DispatchSourceSignal>] = []
    var onSignal: [Int: @Sendable () -> Void] = [:]
    var next = 0
  }

  private let state = Mutex(State())
  private static let patience = 5.0

  /// The signal that was received, if any.
  var signal: Int32? { state.withLock { $0.signal } }

  func install() {
    for number in [SIGINT, SIGTERM] {
      Foundation.signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler { self.received(number) }
      source.resume()
      let kept = UncheckedSendable<any DispatchSourceSignal>(source)
      state.withLock { $0.sources.append(kept) }
    }
  }

  private func received(_ number: Int32) {
    let (isFirst, handlers) = state.withLock { state in
      let isFirst = state.signal == nil
      state.signal = state.signal ?? number
      return (isFirst, Array(state.onSignal.values))
    }
    // An interrupted run must not count as a failure of its model.
    CleanShutdownMark.announce()
    guard isFirst else { Self.endNow(number) }
    for handler in handlers { handler() }
    DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + Self.patience) { Self.endNow(number) }
  }

  private static func endNow(_ number: Int32) -> Never {
    ProgressBar.clearCurrent()
    TemporaryFolders.shared.removeAll()
    _exit(ExitStatus.interrupted(by: number).rawValue)
  }

  /// Throws after a signal.
  func check() throws {
    if signal != nil { throw CancellationError() }
  }

  /// Runs `body`, which polls for cancellation, on the calling thread. A signal cancels it.
  func during<Result>(_ body: () throws -> Result) throws -> Result {
    try check()
    let cancellation = Cancellation()
    let token = onSignal { cancellation.cancel() }
    defer { state.withLock { $0.onSignal[token] = nil } }
    if signal != nil { cancellation.cancel() }
    return try cancellation.during(body)
  }

  private func onSignal(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.onSignal[state.next] = body
      return state.next
    }
  }

  /// Runs asynchronous work on other threads, and blocks the calling thread until it ends. A signal cancels the work.
  func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    try check()
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    let task = Task.detached(priority: .userInitiated) {
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      done.signal()
    }
    let token = onSignal { task.cancel() }
    defer { state.withLock { $0.onSignal[token] = nil } }
    if signal != nil { task.cancel() }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

/// Folders that must not outlive the process.
final class TemporaryFolders: Sendable {
  static let shared = TemporaryFolders()
  private let folders = Mutex<Set<URL>>([])

  /// Removes a folder when the process ends, if it still exists.
  func add(_ url: URL) { folders.withLock { _ = $0.insert(url) } }

  func make() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(
      path: "runtime-\(UUID().uuidString)", directoryHint: .isDirectory)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      let place = url.deletingLastPathComponent().path
      throw Failure(.cannotWrite, "no temporary folder can be made in \(place): \(Failure.reason(error))")
    }
    add(url)
    return url
  }

  func removeAll() {
    let all = folders.withLock { folders in
      defer { folders = [] }
      return folders
    }
    for url in all { try? FileManager.default.removeItem(at: url) }
  }
}
