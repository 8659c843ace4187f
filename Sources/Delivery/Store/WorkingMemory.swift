import Foundation

/// Short-lived buffers for file chunks, in mappings of their own instead of the allocator's memory.
///
/// glibc raises its mmap threshold when a large block is freed. Later blocks of that size are then in an arena, below
/// newer allocations, so each thread's arena keeps the memory. A process that verified and updated models for days held
/// twenty times the memory that it used.
enum WorkingMemory {
  /// Returns `byteCount` zeroed bytes, aligned to a page. Release them with ``giveBack(_:)``.
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
