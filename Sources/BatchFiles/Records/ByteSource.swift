import FeatureFiles
import Foundation

/// A source of bytes with random access.
package protocol ByteSource {
  var size: Int { get }
  /// Returns fewer bytes than requested at the end of the source.
  func read(_ range: Range<Int>) throws -> [UInt8]
}

/// A regular file, which may be larger than memory.
package final class FileSource: ByteSource {
  package let size: Int
  private let path: String
  private let file: Int32

  package init(_ path: String) throws {
    self.path = path
    // Opening must not block on a pipe.
    file = path.utf8.contains(0) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var status = stat()
    guard file >= 0, fstat(file, &status) == 0 else {
      let reason = String(cString: strerror(path.utf8.contains(0) ? ENOENT : errno))
      throw FeatureFileError(.unreadable, "\(path): the file cannot be opened: \(reason)")
    }
    size = Int(status.st_size)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FeatureFileError(.unreadable, "\(path): expected a file, found a folder, a pipe or a device")
    }
  }

  deinit { if file >= 0 { close(file) } }

  package func read(_ range: Range<Int>) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: range.count) { bytes, count in
      while count < range.count {
        let got = pread(
          file, bytes.baseAddress.map { $0 + count }, range.count - count, off_t(range.lowerBound + count))
        if got < 0 && errno == EINTR { continue }
        guard got >= 0 else {
          throw FeatureFileError(.unreadable, "\(path): the file cannot be read: \(String(cString: strerror(errno)))")
        }
        if got == 0 { break }
        count += got
      }
    }
  }
}

/// Data from a stream, in memory.
package struct DataSource: ByteSource {
  private let data: Data

  package init(_ data: Data) { self.data = data }

  package var size: Int { data.count }

  package func read(_ range: Range<Int>) -> [UInt8] {
    Array(data[(data.startIndex + range.lowerBound)..<(data.startIndex + min(range.upperBound, size))])
  }
}
