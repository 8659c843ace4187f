#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Separate pages for secrets: keys, and models that are encrypted on disk. If the system allows it, they are excluded
/// from core dumps, and locked so that they are never swapped. They are zeroed before they are freed.
package final class SecretMemory: @unchecked Sendable {  // written before it is shared
  /// Whether a child of `fork` gets the contents or zeros. A server that forks workers shares a model with them, but a
  /// key must not be shared.
  package enum Children { case share, findZeros }

  /// Page-aligned and initially zero.
  package let start: UnsafeMutableRawPointer
  package let bytes: UnsafeMutableRawBufferPointer
  /// The reason why the pages could not be locked and may be swapped; nil if they are locked.
  package let lockRefusal: String?
  private let mapped: Int

  /// - Throws: ``FileError`` `unreadable` if there is not enough memory.
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

  /// For tests: called with each range that has been zeroed and is about to be freed.
  package static let releases = Mutex<(@Sendable (UnsafeRawBufferPointer) -> Void)?>(nil)

  deinit {
    Self.wipe(UnsafeMutableRawBufferPointer(start: start, count: mapped))
    Self.releases.withLock { $0 }?(UnsafeRawBufferPointer(start: start, count: mapped))
    munmap(start, mapped)
  }

  /// Zeroes memory. The compiler cannot remove the call.
  package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    guard let base = memory.baseAddress else { return }
    explicit_bzero(base, memory.count)
  }
}

extension Bytes {
  /// The bytes of secret pages, which must not be written any more. They are zeroed when the last value that references
  /// them is released.
  package init(_ secret: SecretMemory, file: String? = nil) { self.init(Storage(secret: secret, file: file)) }
}
