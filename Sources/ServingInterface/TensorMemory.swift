import Foundation

/// The bytes of one tensor, aligned to 64 bytes, so that kernels read them where they lie.
///
/// The code that makes the memory fills it before it shares the memory. Afterwards nobody writes to it.
// Sendable: written by its maker alone, and read-only once it is shared.
package final class TensorMemory: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer

  /// Memory with undefined contents. The caller has checked the size against its limits.
  ///
  /// - Throws: `ServingError` with the code `exhausted` if there is no memory.
  package init(byteCount: Int) throws(ServingError) {
    var address: UnsafeMutableRawPointer?
    guard byteCount >= 0, posix_memalign(&address, 64, max(byteCount, 1)) == 0, let address else {
      throw ServingError(.exhausted, "There is no memory for a tensor of \(byteCount) bytes.")
    }
    bytes = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
  }

  deinit { free(bytes.baseAddress) }
}
