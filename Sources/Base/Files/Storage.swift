#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The owner of memory that is immutable after initialization. `Bytes` are ranges of it.
@usableFromInline package final class Storage: @unchecked Sendable {
  private enum Kind { case heap, mapped, secret(SecretMemory) }

  package let base: UnsafeRawPointer
  package let count: Int
  package let file: String?
  private let kind: Kind

  package static let empty = Storage(heap: .allocate(byteCount: 1, alignment: 64), count: 0, file: nil)

  /// Takes ownership of memory from `UnsafeMutableRawBufferPointer.allocate`.
  package convenience init(heap memory: UnsafeMutableRawBufferPointer, file: String?) {
    self.init(heap: memory, count: memory.count, file: file)
  }

  private init(heap memory: UnsafeMutableRawBufferPointer, count: Int, file: String?) {
    // An empty allocation may have no address. Allocate one byte in this case.
    let address = memory.baseAddress ?? UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 64)
    (self.base, self.count, self.file, self.kind) = (UnsafeRawPointer(address), count, file, .heap)
  }

  /// Shares pages that are zeroed when their last owner releases them.
  package init(secret: SecretMemory, file: String?) {
    base = UnsafeRawPointer(secret.start)
    (count, self.file, kind) = (secret.bytes.count, file, .secret(secret))
  }

  /// Maps a regular file for reading, private to this process.
  package init(mapping path: String) throws {
    func failure(_ doing: String) -> FileError {
      FileError(.unreadable, "the file cannot be \(doing): \(String(cString: strerror(errno)))", file: path)
    }
    guard !path.utf8.contains(0) else {
      throw FileError(.unreadable, "a path cannot hold a zero byte", file: path)
    }
    // Opening must not block until a pipe's other end is opened. Files other than regular ones are refused below.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("opened") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("examined") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a pipe, a socket or a device"
      throw FileError(.notAFile, "expected a file, found \(kind)", file: path)
    }
    file = path
    count = Int(status.st_size)
    guard count > 0 else {
      (base, kind) = (UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 64)), .heap)
      return
    }
    guard let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED else {
      throw failure("mapped")
    }
    (base, kind) = (UnsafeRawPointer(memory), .mapped)
  }

  var isSecret: Bool { if case .secret = kind { true } else { false } }

  /// Releases whole pages of a mapping. They are never written, so the file's contents reappear at the next access.
  func release(_ range: UnsafeRawBufferPointer) {
    guard case .mapped = kind, let first = range.baseAddress, first >= base, first + range.count <= base + count else {
      return
    }
    let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
    let start = (UInt(bitPattern: first) + page - 1) / page * page
    let end = UInt(bitPattern: first + range.count) / page * page
    guard end > start, let memory = UnsafeMutableRawPointer(bitPattern: start) else { return }
    madvise(memory, Int(end - start), Int32(MADV_DONTNEED))
  }

  deinit {
    switch kind {
    case .heap: base.deallocate()
    case .mapped: munmap(UnsafeMutableRawPointer(mutating: base), count)
    case .secret: break
    }
  }
}
