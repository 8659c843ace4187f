#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls on files that are open, each taken to its end.
package enum OpenFile {
  /// What a file holds, from its beginning, as far as `limit` goes; nil (errno) where it cannot be read. It is not mapped: a disk that fails
  /// is an error here, and a signal there.
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

  /// What the regular file at a path holds, as far as `limit` goes; nil (errno) where it cannot be read. A pipe or a device, which may have
  /// no end, is not read (ENODEV). Foundation's own ways keep some kilobytes for good each time that a file is empty, as those of /proc say
  /// that they are.
  package static func contents(atPath path: String, limit: Int = .max) -> [UInt8]? {
    // Opening must not wait for the other end of a pipe.
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

  /// Makes a file, or the names in a folder, durable; false (errno) where that fails.
  package static func synchronize(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let number = errno
      var status = stat()
      // A folder that may be written and not listed.
      if number == EACCES, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return true }
      errno = number
      return false
    }
    // Some network file systems cannot synchronise folders and say EINVAL; there is nothing to wait for there.
    let isDurable = fsync(descriptor) == 0 || errno == EINVAL
    let number = errno
    close(descriptor)
    errno = number
    return isDurable
  }
}
