import CoreMLKernels
import Synchronization

/// Times the kernels of plans on their devices, by the devices' own clocks. Each step is waited for before the next one begins, so
/// that what the host does in between is seen apart. Found from the thread: while there is one, predictions run in sessions of their own.
package final class DeviceClock: Sendable {
  /// The clock of the work on the current thread.
  @TaskLocal static var current: DeviceClock?

  private let times = Mutex<[ObjectIdentifier: [Int: Double]]>([:])

  package init() {}

  /// Runs `body` so that its predictions are timed by this clock.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self) { try body() }
  }

  /// Seconds that each step's kernels took since the last call, by plan and the step's number: a custom layer may predict with another model.
  package func take() -> [ObjectIdentifier: [Int: Double]] {
    times.withLock { times in
      defer { times = [:] }
      return times
    }
  }

  /// Waits for what a step has enqueued, alone, and takes its time.
  func time(_ step: Int, of plan: Plan, on queue: OpenCLQueue) throws {
    try queue.finish()
    let seconds = try queue.timings().reduce(0) { $0 + $1.seconds }
    times.withLock { $0[ObjectIdentifier(plan), default: [:]][step, default: 0] += seconds }
  }
}
