import Foundation

/// A lock on a publisher's folder, held while a process works on it. The operating system releases it when the process
/// ends.
final class PublisherLock: Sendable {
  private let descriptor: Int32

  init(_ folder: URL) throws {
    let file = folder.appending(path: "publisher.json")
    // Network file systems grant exclusive locks only on files open for writing. Nobody can publish from a folder that
    // is not writable.
    var descriptor = open(file.path, O_RDWR | O_CLOEXEC)
    if descriptor < 0 && [EACCES, EPERM, EROFS].contains(errno) { descriptor = open(file.path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw DeliveryError(.unreadable, "the folder is no publisher's", at: folder, errno: errno)
    }
    self.descriptor = descriptor
    // A process that has just finished may be about to release the lock.
    if FileLock.waits(for: descriptor, patience: 2) {
      close(descriptor)
      throw DeliveryError(.cannotPublish, "another process is publishing from the folder", file: folder.path)
    }
  }

  // The file is unlocked before it is closed. A process being spawned shares the open file until it calls exec.
  deinit {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
