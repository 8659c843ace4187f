import Synchronization
import Testing

@testable import CoreMLDelivery

/// Concurrent callers share one run of the work. A cancelled caller does not affect the others.
@Suite struct SharedWorkTests {
  /// Work that ends on request, and counts its runs and cancellations.
  private final class Job: Sendable {
    let shared = SharedWork<Int>()
    let counts = Mutex((begun: 0, cancelled: 0))
    private let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    private let (begins, begin) = AsyncStream.makeStream(of: Void.self)

    func value() async throws -> Int {
      try await shared.value { [self] in
        let number = counts.withLock {
          $0.begun += 1
          return $0.begun
        }
        begin.yield()
        for await _ in gate { break }
        if Task.isCancelled {
          counts.withLock { $0.cancelled += 1 }
          throw CancellationError()
        }
        return number
      }
    }

    func end() { opener.yield() }
    func hasBegun() async { for await _ in begins { break } }
  }

  /// Gives other tasks time to begin waiting.
  private func settle() async throws { try await Task.sleep(for: .milliseconds(100)) }

  @Test func theOthersGoOnWhenOneIsCancelled() async throws {
    let job = Job()
    let tasks = (0..<3).map { _ in Task { try await job.value() } }
    await job.hasBegun()
    try await settle()
    tasks[0].cancel()
    // The cancelled caller returns at once, although the work continues.
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    job.end()
    #expect(try await tasks[1].value == 1)
    #expect(try await tasks[2].value == 1)
    #expect(job.counts.withLock { $0 } == (1, 0))
  }

  @Test func theLastToLeaveCancelsAndWhoComesAfterBeginsAnew() async throws {
    let job = Job()
    let first = Task { try await job.value() }
    await job.hasBegun()
    first.cancel()
    // The second caller must not receive the end of the cancelled run.
    let second = Task { try await job.value() }
    await #expect(throws: CancellationError.self) { try await first.value }
    await job.hasBegun()
    #expect(job.counts.withLock { $0 } == (2, 1))
    job.end()
    #expect(try await second.value == 2)
  }

  @Test func whoIsCancelledBeforeItBeginsDoesNotBegin() async throws {
    let job = Job()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await job.value()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(job.counts.withLock { $0 } == (0, 0))
  }

  @Test func aFailureIsForAllAndTheNextBeginsAnew() async throws {
    struct Odd: Error {}
    let shared = SharedWork<Int>()
    await #expect(throws: Odd.self) { try await shared.value { throw Odd() } }
    #expect(try await shared.value { 7 } == 7)
  }
}
