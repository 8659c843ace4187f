import Foundation

/// Memory that is wanted for a moment, for pieces of files: a mapping of its own, never the allocator's.
///
/// glibc lays a large block into a mapping only until a block of that size has been given back. From then on it lies in an arena, below
/// what is allocated next, and each thread's arena keeps the room: a process that verifies and updates models for days came to hold
/// twenty times what it uses.
enum WorkingMemory {
  /// `byteCount` bytes (a piece of a file by default), zero, aligned to a page; for ``giveBack(_:)``.
  static func take(_ byteCount: Int = 1 << 20) throws -> UnsafeMutableRawBufferPointer {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0), start != MAP_FAILED else {
      throw DeliveryError(
        .noMemory,
        "the system has no \(byteCount) bytes of memory to read a file into: \(String(cString: strerror(errno)))")
    }
    return UnsafeMutableRawBufferPointer(start: start, count: byteCount)
  }

  static func giveBack(_ memory: UnsafeMutableRawBufferPointer) { munmap(memory.baseAddress, memory.count) }
}
