import Foundation
import Testing

@testable import CoreMLDelivery

/// Which ends of a process count as crashes of the model that it uses.
@Suite(.serialized) struct CleanShutdownMarkTests {
  private let folder: TemporaryFolder
  private var book: HealthStore { HealthStore(folder: folder.url) }
  private static let tree = String(repeating: "a", count: 64)

  init() throws { folder = try TemporaryFolder() }

  private func crashes() -> Int { book.counts(of: Self.tree).crashes }

  /// Begins a prediction in a separate process.
  private static func begin(_ path: String) -> HealthRecorder {
    let recorder = HealthStore(folder: URL(filePath: path)).recorder(of: tree)
    recorder.begin()
    return recorder
  }

  /// Sends this process a signal, after unblocking it, because the parent process may have blocked it.
  private static func send(_ number: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }

  @Test func aSignalThatNobodyAnnouncedCounts() async throws {
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = folder.url.path as String] in
      let recorder = Self.begin(path)
      Self.send(SIGTERM)
      recorder.endLoad(.good)
    }
    #expect(crashes() == 1)
  }

  @Test func anAnnouncedSignalDoesNotCountAndEndsTheProcessAsBefore() async throws {
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = folder.url.path as String] in
      precondition(CleanShutdownMark.announce(on: [SIGTERM]).isEmpty)
      precondition(CleanShutdownMark.announce(on: [SIGTERM]).isEmpty, "once more is no harm")
      let recorder = Self.begin(path)
      Self.send(SIGTERM)
      recorder.endLoad(.good)
    }
    #expect(crashes() == 0)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: book.folder(of: Self.tree).path).isEmpty)
  }

  @Test func aProgramThatIgnoresASignalKeepsDoingSo() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGHUP, SIG_IGN)
      precondition(CleanShutdownMark.announce(on: [SIGHUP, SIGTERM]) == [SIGHUP])
      Self.send(SIGHUP)
    }
  }

  @Test func anExitDoesNotCount() async throws {
    await #expect(processExitsWith: .exitCode(3)) { [path = folder.url.path as String] in
      let recorder = Self.begin(path)
      exit(withExtendedLifetime(recorder) { 3 })
    }
    #expect(crashes() == 0)
  }

  @Test func whatBeginsAfterTheAnnouncementDoesNotCountEither() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
      let recorder = Self.begin(path)
      CleanShutdownMark.announce()
      recorder.endPrediction(.good, latency: .zero)
      recorder.begin()
      raise(SIGKILL)
    }
    #expect(crashes() == 0)
    #expect(book.counts(of: Self.tree).predictions == 1)
  }

  @Test func anAnnouncementBeforeTheFirstBeginningHoldsToo() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
      CleanShutdownMark.announce()
      let recorder = Self.begin(path)
      _ = withExtendedLifetime(recorder) { raise(SIGKILL) }
    }
    #expect(crashes() == 0)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: book.folder(of: Self.tree).path).isEmpty)
  }

  @Test func aCrashCounts() async throws {
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = folder.url.path as String] in
      _ = CleanShutdownMark.announce(on: [SIGTERM])
      let recorder = Self.begin(path)
      withExtendedLifetime(recorder) { abort() }
    }
    #expect(crashes() == 1)
  }
}
