#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Pages of their own for what must not be found elsewhere: keys, and models that are encrypted on disk. They are left out of core dumps
/// and locked, so that they are never swapped, where the system lets them be; they are zeroed before they are given back.
package final class SecretMemory: @unchecked Sendable {  // written before it is shared
  /// Who keeps what is secret decides whether a child of `fork` may have it: a server that forks its workers shares a model with them, and a
  /// key is nobody else's.
  package enum Children { case share, findZeros }

  /// Aligned to a page; zero, but for what was written since.
  package let start: UnsafeMutableRawPointer
  package let bytes: UnsafeMutableRawBufferPointer
  /// Why the pages may be swapped all the same; nil when they are locked.
  package let lockRefusal: String?
  private let mapped: Int

  /// - Throws: ``FileError`` `unreadable` when there is no memory.
  package init(count: Int, children: Children = .findZeros) throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let (rounded, overflow) = max(count, 1).addingReportingOverflow(page - 1)
    let size = rounded / page * page
    guard !overflow, let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      base != MAP_FAILED
    else { throw FileError(.unreadable, "there is no memory for \(count) bytes that are to be kept secret") }
    mapped = size
    start = base
    bytes = UnsafeMutableRawBufferPointer(start: base, count: max(count, 0))
    #if os(Linux)
      madvise(base, size, Int32(MADV_DONTDUMP))
      if children == .findZeros { madvise(base, size, Int32(MADV_WIPEONFORK)) }
    #endif
    lockRefusal = mlock(base, size) == 0 ? nil : String(cString: strerror(errno))
  }

  /// Called with every range that was zeroed and is about to be given back: for tests.
  package static let releases = Mutex<(@Sendable (UnsafeRawBufferPointer) -> Void)?>(nil)

  deinit {
    Self.wipe(UnsafeMutableRawBufferPointer(start: start, count: mapped))
    Self.releases.withLock { $0 }?(UnsafeRawBufferPointer(start: start, count: mapped))
    munmap(start, mapped)
  }

  /// Zeroes memory; the compiler cannot leave it out.
  package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress else { return }
    explicit_bzero(base, memory.count)
  }
}

extension Bytes {
  /// The bytes of secret pages, which nobody writes any more; they are zeroed when the last value goes that points into them.
  package init(_ secret: SecretMemory, file: String? = nil) { self.init(Storage(secret: secret, file: file)) }
}
