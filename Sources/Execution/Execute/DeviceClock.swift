import CoreMLKernels
import Synchronization

/// Times the kernels of plans with the clocks of their devices. Each step completes before the next one starts, so that
/// host time is measured separately. The clock is task-local. While one is set, predictions run in sessions of their
/// own.
package final class DeviceClock: Sendable {
  /// The clock of the current thread's work.
  @TaskLocal static var current: DeviceClock?

  private let times = Mutex<[ObjectIdentifier: [Int: Double]]>([:])

  package init() {}

  /// Runs `body` with its predictions timed by this clock.
  package func during<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(self) { try body() }
  }

  /// Kernel seconds of each step since the last call, by plan and step number. There may be several plans, since a
  /// custom layer may run another model.
  package func take() -> [ObjectIdentifier: [Int: Double]] {
    times.withLock { times in
      defer { times = [:] }
      return times
    }
  }

  /// Waits until the work that the step has enqueued completes, and records its time.
  func time(_ step: Int, of plan: Plan, on queue: OpenCLQueue) throws {
    try queue.finish()
    let seconds = try queue.timings().reduce(0) { $0 + $1.seconds }
    times.withLock { $0[ObjectIdentifier(plan), default: [:]][step, default: 0] += seconds }
  }
}
