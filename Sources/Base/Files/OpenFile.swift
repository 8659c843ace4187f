#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// System calls on files, repeated until complete.
package enum OpenFile {
  /// The contents of a file, up to `limit` bytes; nil (errno) if it cannot be read. The file is not mapped, since a
  /// disk error then causes a signal and not an error.
  package static func bytes(_ descriptor: Int32, limit: Int = .max) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let got = pread(descriptor, &piece, min(piece.count, limit - bytes.count), off_t(bytes.count))
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { return nil }
      if got == 0 { break }
      bytes += piece[..<got]
    }
    return bytes
  }

  /// The contents of the regular file at a path, up to `limit` bytes; nil (errno) if it cannot be read. Pipes and
  /// devices are not read (ENODEV), since they may have no end. Foundation's functions leak some kilobytes for each
  /// file of size 0, which all files in /proc report.
  package static func contents(atPath path: String, limit: Int = .max) -> [UInt8]? {
    // Opening must not block until a pipe's other end is opened.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    var bytes: [UInt8]?
    if fstat(descriptor, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFREG: bytes = Self.bytes(descriptor, limit: limit)
      case S_IFDIR: errno = EISDIR
      default: errno = ENODEV
      }
    }
    let number = errno
    close(descriptor)
    errno = number
    return bytes
  }

  /// Makes a file, or the names in a folder, durable. Returns false (errno) on failure.
  package static func synchronize(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let number = errno
      var status = stat()
      // A folder that can be written but not listed.
      if number == EACCES, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return true }
      errno = number
      return false
    }
    // Some network file systems cannot synchronise folders and return EINVAL. There is nothing to wait for.
    let isDurable = fsync(descriptor) == 0 || errno == EINVAL
    let number = errno
    close(descriptor)
    errno = number
    return isDurable
  }
}
