import Foundation

/// Disk usage of files and file systems.
enum DiskUse {
  /// Returns the disk space of everything at and below a path, in bytes. Links are not followed.
  static func bytes(of url: URL) -> Int64 {
    var status = stat()
    guard lstat(url.path, &status) == 0 else { return 0 }
    var total = Int64(status.st_blocks) * 512
    guard status.st_mode & S_IFMT == S_IFDIR else { return total }
    for name in (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] {
      total += bytes(of: url.appending(path: name))
    }
    return total
  }

  /// Returns the size of a regular file in bytes; nil if there is none.
  static func size(_ url: URL) -> Int64? {
    var status = stat()
    guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int64(status.st_size)
  }

  static func modified(_ url: URL) -> Date? {
    var status = stat()
    guard lstat(url.path, &status) == 0 else { return nil }
    return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
  }

  /// Returns the space available to this user on the file system of a path or of its nearest existing parent, in bytes;
  /// nil if it is unknown.
  static func free(at url: URL) -> Int64? {
    var place = url.standardizedFileURL
    var system = statvfs()
    while statvfs(place.path, &system) != 0 {
      guard place.path != "/" else { return nil }
      place.deleteLastPathComponent()
    }
    let (bytes, overflow) = UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize))
    return overflow ? .max : Int64(clamping: bytes)
  }
}
