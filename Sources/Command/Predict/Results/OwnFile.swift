import CoreMLBase
import CoreMLSpec
import Foundation

/// Files of a run under names that others can foresee, in folders where others may write: what another user, or a link, has put there is
/// neither believed nor written to.
enum OwnFile {
  /// Opens a file that this user wrote; nil where there is none.
  ///
  /// - Throws: `Failure` for one that others could have written.
  static func open(_ path: String, _ flags: Int32) throws -> Int32? {
    // A pipe under the name must not be waited for.
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

  /// Makes a file that was not there, in place of one that this user wrote.
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

  /// What a file of this user's holds; nil where there is none, or where others could have written it.
  static func read(_ path: String) -> Data? {
    guard let file = (try? open(path, O_RDONLY)).flatMap({ $0 }) else { return nil }
    return try? FileHandle(fileDescriptor: file, closeOnDealloc: true).readToEnd() ?? Data()
  }

  /// Whether a path is the very file that is open.
  static func stands(_ file: Int32, at path: String) -> Bool {
    var (mine, there) = (stat(), stat())
    return fstat(file, &mine) == 0 && lstat(path, &there) == 0 && mine.st_ino == there.st_ino
      && mine.st_dev == there.st_dev
  }

  private static func refusal(_ path: String, _ reason: String) -> Failure {
    Failure(
      .cannotWrite, "\(path): what stands where the run is to be kept is not used: \(reason); choose another output")
  }
}
