import Foundation
import Synchronization

/// Tells when files change, and asks the file system at most once a second.
final class FileChange: Sendable {
  private struct Mark: Equatable {
    var inode: UInt64
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
  }
  private struct State {
    var marks: [Mark?]
    var next: ContinuousClock.Instant
  }

  private let files: [String]
  private let state: Mutex<State>

  init(_ files: [String]) {
    self.files = files
    state = Mutex(State(marks: files.map(Self.mark), next: .now + .seconds(1)))
  }

  /// Whether a file changed since the last question that was answered with true.
  func hasChanged() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      guard now >= state.next else { return false }
      state.next = now + .seconds(1)
      let marks = files.map(Self.mark)
      // A file that is missing is being replaced.
      guard marks != state.marks, !marks.contains(nil) else { return false }
      state.marks = marks
      return true
    }
  }

  private static func mark(_ path: String) -> Mark? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Mark(
      inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(status.st_mtim.tv_sec),
      nanoseconds: Int(status.st_mtim.tv_nsec))
  }
}
