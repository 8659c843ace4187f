import CKernels
import Foundation

/// A buffer that evicts all other data from each core's private caches, and all other pages from its TLB, when it is
/// read.
struct CacheSweep {
  private let numbers: [Float]
  private let share: Int

  /// 4 KiB pages. No core has more TLB entries.
  private static let pages = 4096

  init(threads: Int) {
    let cache = min(sysconf(Int32(_SC_LEVEL2_CACHE_SIZE)), 16 << 20)
    share = max(2 * cache, Self.pages << 12) / MemoryLayout<Float>.size
    numbers = [Float](repeating: 1, count: share * threads)
  }

  /// Each thread reads its share.
  func pass(_ pool: ThreadPool) {
    numbers.withUnsafeBufferPointer { numbers in
      guard let base = numbers.baseAddress else { return }
      pool.run(numbers.count / share) { items in
        for item in items { Self.read(base + item * share, share * MemoryLayout<Float>.size) }
      }
    }
  }

  static func read(_ memory: UnsafeRawPointer, _ bytes: Int) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 16) { sums in
      ck_measure_read_f32(
        memory.assumingMemoryBound(to: Float.self), bytes / MemoryLayout<Float>.size, sums.baseAddress)
    }
  }
}
