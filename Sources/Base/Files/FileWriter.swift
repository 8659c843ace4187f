import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a file under a temporary name in the same folder, then renames it. Other processes never see a partial file.
/// A writer that is deallocated before `commit` removes its file.
package final class FileWriter {
  /// The final path.
  package let path: String
  /// The temporary path.
  package private(set) var partial: String
  private var descriptor: Int32

  /// - Parameters:
  ///   - privateName: The temporary path, on the same file system. By default it is next to `path`.
  ///   - mode: The mode of the file, restricted by the process's umask.
  package init(path: String, privateName: String? = nil, mode: mode_t = 0o644) throws {
    guard !path.utf8.contains(0) else { throw FileError(.unwritable, "a path cannot hold a zero byte", file: path) }
    self.path = path
    (partial, descriptor) = (privateName ?? TemporaryName.path(beside: path), -1)
    while true {
      descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { throw failure("created") }
      // Temporary names that the caller chose are not removed by `sweep`, so they need no lock.
      if TemporaryName.isHeld(descriptor) || privateName != nil { break }
      close(descriptor)
      partial = TemporaryName.path(beside: path)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(partial)
  }

  /// Appends bytes.
  package func append(_ bytes: UnsafeRawBufferPointer) throws {
    try all(bytes) { start, count, _ in write(descriptor, start, count) }
  }

  package func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }

  /// For libraries that write to a descriptor. They write at the current end of the file.
  package func withDescriptor(_ body: (Int32) throws -> Void) throws {
    guard descriptor >= 0 else { throw FileError(.unwritable, "the file was committed before", file: path) }
    try body(descriptor)
  }

  /// Overwrites bytes at an offset. The position for appending does not change.
  package func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try all(bytes) { start, count, done in pwrite(descriptor, start, count, off_t(offset + done)) }
  }

  /// Makes the bytes durable and renames the file to its final path, replacing an existing file.
  ///
  /// - Parameter namingDurably: Whether to make the rename durable too. A cache need not, since it can create the file
  ///   again.
  package func commit(namingDurably: Bool = true) throws {
    try synchronize()
    try takeName()
    if namingDurably { try synchronizeFolder() }
  }

  /// Commits several files, each atomically. The file system's journal is written once for all of them, and each folder
  /// is synchronized once.
  package static func commit(_ files: [FileWriter]) throws {
    // If the data blocks are already on disk, synchronizing a file needs no journal commit of its own.
    if files.count > 1 { for file in files { file.beginWriteback() } }
    for file in files { try file.synchronize() }
    for file in files { try file.takeName() }
    var folders: Set<Substring> = []
    for file in files
    where folders.insert(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]).inserted {
      try file.synchronizeFolder()
    }
  }

  /// Starts writeback of the file's dirty pages. Errors are reported when the file is synchronized.
  private func beginWriteback() {
    cplatform_begin_writeback(descriptor)
  }

  private func synchronize() throws {
    guard descriptor >= 0 else { throw FileError(.unwritable, "the file was committed before", file: path) }
    guard fsync(descriptor) == 0 else { throw failure("written") }
  }

  private func takeName() throws {
    guard rename(partial, path) == 0 else { throw failure("put in its place") }
    close(descriptor)
    descriptor = -1
  }

  private func synchronizeFolder() throws {
    if !TemporaryName.synchronizeFolder(of: path) { throw failure("put in its place") }
  }

  private func all(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawPointer, _ count: Int, _ done: Int) -> Int
  ) throws {
    guard descriptor >= 0 else { throw FileError(.unwritable, "the file was committed before", file: path) }
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let written = body(base + done, bytes.count - done, done)
      if written < 0 {
        if errno == EINTR { continue }
        throw failure("written")
      }
      done += written
    }
  }

  private func failure(_ doing: String) -> FileError {
    FileError(.unwritable, "the file cannot be \(doing): \(String(cString: strerror(errno)))", file: path)
  }
}
