import CPlatform
import Foundation
import Synchronization

/// Makes the allocator return free memory to the system when a model is released. Temporary memory of loading stays in
/// the allocator's arenas of the loading threads. A process that loads one model after the other would otherwise keep
/// that memory once for each arena.
final class MemoryReturn: Sendable {
  /// Limits of the check, which takes milliseconds if much memory is free: the minimum interval in seconds, and the
  /// minimum number of free bytes.
  private static let pause = 5
  private static let least = 32 << 20

  /// The uptime in seconds from which the next check is allowed.
  private static let next = Atomic<Int>(0)

  deinit {
    // Seconds do not overflow, whatever the clock is set to.
    var time = timespec()
    guard clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { return }
    let now = time.tv_sec
    let due = Self.next.load(ordering: .relaxed)
    guard now >= due,
      Self.next.compareExchange(expected: due, desired: now &+ Self.pause, ordering: .relaxed).exchanged,
      cplatform_memory_free() >= Self.least
    else { return }
    cplatform_memory_return()
  }
}
