import CoreMLKernels
import Foundation
import Synchronization

/// Memory for large results, which a prediction writes all of: what one array gives back the next of its size gets, as it is. New memory from the
/// system would cost as much as a copy of it, in pages that come one by one.
final class ResultMemory: Sendable {
  static let shared = ResultMemory(mostKept: 32 << 20)

  /// Whole pages: a device that writes to them itself holds nobody else's.
  private static let alignment = 4096
  /// Less comes from where the system keeps memory anyway.
  private static let least = 1 << 18

  private struct Kept {
    var byteCount = 0
    /// Addresses, by size.
    var blocks: [Int: [UInt]] = [:]
  }

  private let mostKept: Int
  private let kept = Mutex(Kept())

  /// `mostKept` bytes are kept for later, in all.
  init(mostKept: Int) { self.mostKept = mostKept }

  deinit { Self.free(kept.withLock { $0.blocks }) }

  /// The memory and what gives it back; nil where there is not as much.
  func allocate(_ bytes: Int) -> (pointer: UnsafeMutableRawPointer, release: () -> Void)? {
    guard bytes >= Self.least else { return ZeroedMemory.allocate(bytes) }
    let (padded, overflow) = bytes.addingReportingOverflow(Self.alignment)
    guard !overflow else { return nil }
    let size = padded / Self.alignment * Self.alignment
    var block = take(size)
    if block == nil {
      guard posix_memalign(&block, Self.alignment, size) == 0 else { return nil }
      if let block { RegisteredMemory.lend(block, size) }
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
      // Where there is no room, what is kept may be of sizes that nobody asks for any more.
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
        RegisteredMemory.takeBack(block, size)
        Foundation.free(block)
      }
    }
  }
}
