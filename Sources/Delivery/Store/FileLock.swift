import Foundation

/// A lock among processes, for what is better not done twice at once. It may not be had, on file systems without locks or after the time
/// allowed; nothing may depend on it.
final class FileLock: Sendable {
  private let descriptor: Int32
  /// Whether another holds it still; false where there are no locks.
  let isElsewhere: Bool

  /// Waits for the lock, at most so many seconds.
  init(_ url: URL, patience: Double = 10) {
    try? DeliveryDirectories.makeFolder(url.deletingLastPathComponent())
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      isElsewhere = false
      return
    }
    isElsewhere = Self.waits(for: descriptor, patience: patience)
  }

  /// Waits for the lock of an open file, at most so many seconds: whether another holds it still.
  static func waits(for descriptor: Int32, patience: Double) -> Bool {
    // Not the time of day, which may be set while this waits.
    let deadline = ContinuousClock.now + .seconds(patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let isHeld = errno == EWOULDBLOCK
      guard isHeld || errno == EINTR, .now < deadline else { return isHeld }
      usleep(20_000)
    }
    return false
  }

  // Unlocked first: a process that is being started has the file open, too, until its program begins.
  deinit {
    guard descriptor >= 0 else { return }
    if !isElsewhere { _ = flock(descriptor, LOCK_UN) }
    close(descriptor)
  }
}
