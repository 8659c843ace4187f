import Foundation
import Synchronization

/// Memory for large results, which a prediction writes all of: what one array gives back the next of its size gets, as it is. New memory from the
/// system would cost as much as a copy of it, in pages that come one by one.
enum ResultMemory {
  private static let alignment = 64
  /// Less comes from where the system keeps memory anyway.
  private static let least = 1 << 18
  /// What is kept for later, in all.
  private static let mostKept = 32 << 20
  private static let kept = Mutex(Kept())

  private struct Kept {
    var byteCount = 0
    /// Addresses, by size.
    var blocks: [Int: [UInt]] = [:]
  }

  /// The memory and what gives it back; nil where there is not as much.
  static func allocate(_ bytes: Int) -> (pointer: UnsafeMutableRawPointer, release: () -> Void)? {
    guard bytes >= least else { return ZeroedMemory.allocate(bytes) }
    let (size, overflow) = bytes.addingReportingOverflow(alignment)
    guard !overflow else { return nil }
    if let block = take(size) { return (block, { give(block, size) }) }
    var block: UnsafeMutableRawPointer?
    guard posix_memalign(&block, alignment, size) == 0, let block else { return nil }
    return (block, { give(block, size) })
  }

  private static func take(_ size: Int) -> UnsafeMutableRawPointer? {
    kept.withLock { kept -> UInt? in
      guard let block = kept.blocks[size]?.popLast() else { return nil }
      kept.byteCount -= size
      return block
    }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  private static func give(_ block: UnsafeMutableRawPointer, _ size: Int) {
    let address = UInt(bitPattern: block)
    let isKept = kept.withLock { kept in
      guard kept.byteCount <= mostKept - size else { return false }
      kept.byteCount += size
      kept.blocks[size, default: []].append(address)
      return true
    }
    if !isKept { free(block) }
  }
}
