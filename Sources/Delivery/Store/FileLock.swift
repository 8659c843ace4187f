import Foundation

/// A lock between processes that avoids duplicate work.
///
/// The lock may not be acquired: some file systems have no locks, and the wait has a timeout. Correctness must not
/// depend on it.
final class FileLock: Sendable {
  private let descriptor: Int32
  /// Whether another process still holds the lock; false if the file system has no locks.
  let isElsewhere: Bool

  /// Waits for the lock, at most `patience` seconds.
  init(_ url: URL, patience: Double = 10) {
    try? DeliveryDirectories.makeFolder(url.deletingLastPathComponent())
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      isElsewhere = false
      return
    }
    isElsewhere = Self.waits(for: descriptor, patience: patience)
  }

  /// Waits for the lock of an open file, at most `patience` seconds. Returns whether another process still holds it.
  static func waits(for descriptor: Int32, patience: Double) -> Bool {
    // A monotonic clock, because the system time may change during the wait.
    let deadline = ContinuousClock.now + .seconds(patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let isHeld = errno == EWOULDBLOCK
      guard isHeld || errno == EINTR, .now < deadline else { return isHeld }
      usleep(20_000)
    }
    return false
  }

  // The file is unlocked before it is closed. A process being spawned shares the open file until it calls exec.
  deinit {
    guard descriptor >= 0 else { return }
    if !isElsewhere { _ = flock(descriptor, LOCK_UN) }
    close(descriptor)
  }
}
