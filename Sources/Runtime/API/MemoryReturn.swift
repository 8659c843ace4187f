import CPlatform
import Foundation
import Synchronization

/// Goes with a model, and has the allocator give the system back what it keeps free: what loading takes for a moment lies in the arenas of
/// the threads that loaded, and a process that loads one model after the other would come to hold it once for each arena.
final class MemoryReturn: Sendable {
  /// Looking takes milliseconds where much is free: not more often than this, in nanoseconds, and not for less than so many bytes.
  private static let pause: UInt64 = 5_000_000_000
  private static let least = 32 << 20

  /// When memory may be looked at again, by the machine's uptime.
  private static let next = Atomic<UInt64>(0)

  deinit {
    let now = DispatchTime.now().uptimeNanoseconds
    let due = Self.next.load(ordering: .relaxed)
    guard now >= due,
      Self.next.compareExchange(expected: due, desired: now + Self.pause, ordering: .relaxed).exchanged,
      cplatform_memory_free() >= Self.least
    else { return }
    cplatform_memory_return()
  }
}
