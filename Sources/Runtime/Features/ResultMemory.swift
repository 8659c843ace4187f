import CoreMLKernels
import Foundation
import Synchronization

/// A cache of memory blocks for large results that a prediction overwrites completely. A released block is reused for
/// the next array of its size, without zeroing. New memory from the system would cost page faults, which take about as
/// long as copying the result.
final class ResultMemory: Sendable {
  static let shared = ResultMemory(mostKept: 32 << 20)

  /// Blocks consist of whole pages, so a page that a device writes to contains no other allocation.
  private static let alignment = 4096
  /// Smaller blocks come from the allocator, which caches them itself.
  private static let least = 1 << 18

  private struct Kept {
    var byteCount = 0
    /// Addresses of free blocks, by size.
    var blocks: [Int: [UInt]] = [:]
  }

  private let mostKept: Int
  private let kept = Mutex(Kept())

  /// - Parameter mostKept: the maximum number of bytes in free blocks.
  init(mostKept: Int) { self.mostKept = mostKept }

  deinit { Self.free(kept.withLock { $0.blocks }) }

  /// Returns the memory and a closure that releases it; nil if there is not enough memory.
  func allocate(_ bytes: Int) -> (pointer: UnsafeMutableRawPointer, release: () -> Void)? {
    guard bytes >= Self.least else { return ZeroedMemory.allocate(bytes) }
    let (padded, overflow) = bytes.addingReportingOverflow(Self.alignment)
    guard !overflow else { return nil }
    let size = padded / Self.alignment * Self.alignment
    var block = take(size)
    if block == nil {
      guard posix_memalign(&block, Self.alignment, size) == 0 else { return nil }
      if let block { RegisteredMemory.register(block, size) }
    }
    return block.map { block in (block, { self.give(block, size) }) }
  }

  private func take(_ size: Int) -> UnsafeMutableRawPointer? {
    kept.withLock { kept -> UInt? in
      guard let block = kept.blocks[size]?.popLast() else { return nil }
      if kept.blocks[size]?.isEmpty == true { kept.blocks[size] = nil }
      kept.byteCount -= size
      return block
    }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  private func give(_ block: UnsafeMutableRawPointer, _ size: Int) {
    let address = UInt(bitPattern: block)
    guard size <= mostKept else { return Self.free([size: [address]]) }
    let left = kept.withLock { kept -> [Int: [UInt]] in
      // If the limit would be exceeded, the free blocks are dropped, because they may have sizes that are no longer
      // used.
      var left: [Int: [UInt]] = [:]
      if kept.byteCount > mostKept - size {
        left = kept.blocks
        kept = Kept()
      }
      kept.byteCount += size
      kept.blocks[size, default: []].append(address)
      return left
    }
    Self.free(left)
  }

  private static func free(_ blocks: [Int: [UInt]]) {
    for (size, addresses) in blocks {
      for case let block? in addresses.map({ UnsafeMutableRawPointer(bitPattern: $0) }) {
        RegisteredMemory.unregister(block, size)
        Foundation.free(block)
      }
    }
  }
}
