import Foundation

/// A lock among processes, for what is better not done twice at once. It may not be had, on file systems without locks or after the time
/// allowed; nothing may depend on it.
final class FileLock: Sendable {
  private let descriptor: Int32

  /// Waits for the lock, at most so many seconds.
  init(_ url: URL, patience: Double = 10) {
    try? Places.makeFolder(url.deletingLastPathComponent())
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let deadline = Date().addingTimeInterval(patience)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, Date() < deadline else { return }
      usleep(20_000)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
