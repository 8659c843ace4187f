import CPlatform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a file under a private name beside its place and renames it: nobody sees a part of it, and a writer that is dropped before
/// `commit` leaves nothing behind.
package final class FileWriter {
  /// Where the file will stand.
  package let path: String
  /// The private name.
  package private(set) var partial: String
  private var descriptor: Int32

  /// - Parameters:
  ///   - privateName: the path that the bytes are written under, in the same file system; by default one beside `path`.
  ///   - mode: of the file, as far as the process's mask lets it be.
  package init(path: String, privateName: String? = nil, mode: mode_t = 0o644) throws {
    guard !path.utf8.contains(0) else { throw FileError(.unwritable, "a path cannot hold a zero byte", file: path) }
    self.path = path
    (partial, descriptor) = (privateName ?? TemporaryName.path(beside: path), -1)
    while true {
      descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { throw failure("created") }
      // Names of others' choice are not swept by themselves.
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

  /// For libraries that write by themselves, from where appending is.
  package func withDescriptor(_ body: (Int32) throws -> Void) throws {
    guard descriptor >= 0 else { throw FileError(.unwritable, "the file was committed before", file: path) }
    try body(descriptor)
  }

  /// Writes over bytes from an offset on; appending goes on where it was.
  package func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try all(bytes) { start, count, done in pwrite(descriptor, start, count, off_t(offset + done)) }
  }

  /// Makes the bytes durable and gives the file its name, replacing what stands there.
  ///
  /// - Parameter namingDurably: whether the name is made durable, too; a cache that loses it makes the file again.
  package func commit(namingDurably: Bool = true) throws {
    try synchronize()
    try takeName()
    if namingDurably { try synchronizeFolder() }
  }

  /// Commits several files, each whole or not at all. The system writes its journal once for all of them, and each folder once.
  package static func commit(_ files: [FileWriter]) throws {
    // Bytes that have their place on the disk already make no journal entry of their own when they are synchronized.
    if files.count > 1 { for file in files { file.beginWriteback() } }
    for file in files { try file.synchronize() }
    for file in files { try file.takeName() }
    var folders: Set<Substring> = []
    for file in files
    where folders.insert(file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]).inserted {
      try file.synchronizeFolder()
    }
  }

  /// Asks the system to write what it holds of the file. Whether it does so is seen when the file is synchronized.
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
