import Foundation

/// Files that are read whole: pipes and devices, which may have no end, are none.
package enum RegularFile {
  /// Nil where there is no such file, or it cannot be read.
  package static func contents(_ url: URL) -> Data? {
    var status = stat()
    guard url.isFileURL, stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return FileManager.default.contents(atPath: url.path)
  }
}
