import CoreMLKernels
import Foundation

/// Memory of zeros for elements: aligned to 64 bytes, and not touched before it is used, so that a large array costs what is
/// written to it.
enum ZeroedMemory {
  private static let alignment = 64

  /// The memory and what gives it back; nil where there is not as much.
  static func allocate(_ bytes: Int) -> (pointer: UnsafeMutableRawPointer, release: () -> Void)? {
    let (padded, overflow) = Swift.max(bytes, 1).addingReportingOverflow(alignment)
    guard !overflow, let block = calloc(padded, 1) else { return nil }
    RegisteredMemory.lend(block, padded)
    return (
      block.alignedUp(toMultipleOf: alignment),
      {
        RegisteredMemory.takeBack(block, padded)
        free(block)
      }
    )
  }
}
