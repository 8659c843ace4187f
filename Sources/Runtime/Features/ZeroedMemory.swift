import CoreMLKernels
import Foundation

/// Zero-filled memory, aligned to 64 bytes. Its pages are not touched before use, so a large array costs only the part
/// that is written.
enum ZeroedMemory {
  private static let alignment = 64

  /// Returns the memory and a closure that releases it; nil if there is not enough memory.
  static func allocate(_ bytes: Int) -> (pointer: UnsafeMutableRawPointer, release: () -> Void)? {
    let (padded, overflow) = Swift.max(bytes, 1).addingReportingOverflow(alignment)
    guard !overflow, let block = calloc(padded, 1) else { return nil }
    RegisteredMemory.register(block, padded)
    return (
      block.alignedUp(toMultipleOf: alignment),
      {
        RegisteredMemory.unregister(block, padded)
        free(block)
      }
    )
  }
}
