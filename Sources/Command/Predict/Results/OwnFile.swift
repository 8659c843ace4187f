import CoreMLBase
import CoreMLSpec
import Foundation

/// Files of a run with predictable names, in folders where other users may write. A file that another user put there,
/// or a link, is neither trusted nor written to.
enum OwnFile {
  /// Opens a file that this user wrote; nil if it does not exist.
  ///
  /// - Throws: `Failure` if another user could have written the file.
  static func open(_ path: String, _ flags: Int32) throws -> Int32? {
    // Opening a pipe with this name must not block.
    let file = Foundation.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw refusal(path, "expected no symbolic link")
      default: throw Failure.unwritable(path, "the file cannot be opened")
      }
    }
    var status = stat()
    let reason = fstat(file, &status) == 0 ? FileTrust.process.refusal(of: status, as: .file) : "it cannot be examined"
    guard let reason else { return file }
    close(file)
    throw refusal(path, reason)
  }

  /// Creates a new file, and replaces an existing one of this user.
  static func make(_ path: String, mode: mode_t) throws -> Int32 {
    if let left = try open(path, O_RDONLY) {
      close(left)
      unlink(path)
    }
    let flags = O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    let file = Foundation.open(path, flags, mode)
    guard file >= 0 else { throw Failure.unwritable(path, "the file cannot be written") }
    return file
  }

  /// The contents of a file of this user; nil if it is missing or others could have written it.
  static func read(_ path: String) -> Data? {
    guard let file = (try? open(path, O_RDONLY)).flatMap({ $0 }) else { return nil }
    return try? FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() ?? Data()
  }

  /// Whether the path still names the open file.
  static func stands(_ file: Int32, at path: String) -> Bool {
    var (mine, there) = (stat(), stat())
    return fstat(file, &mine) == 0 && lstat(path, &there) == 0 && mine.st_ino == there.st_ino
      && mine.st_dev == there.st_dev
  }

  private static func refusal(_ path: String, _ reason: String) -> Failure {
    Failure(
      .cannotWrite, "\(path): the existing file cannot be used for the run: \(reason); choose another output")
  }
}
