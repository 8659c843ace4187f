import CKernels
import MIL

/// The measured peak rates of the CPU. They give a lower bound for the time of any work, from its operations and bytes
/// (Williams, Waterman, Patterson: Roofline, 2009). Every figure is the best of a few runs on all threads concurrently.
package struct Roofline: Sendable, Hashable, Encodable {
  package struct Level: Sendable, Hashable, Encodable {
    /// Data of at most this many bytes, over all threads, fits this level.
    package let bytes: Double
    package let bytesPerSecond: Double
  }

  /// fp32 operations a second.
  package let flops: Double
  /// Read rates, from the smallest cache to main memory.
  package let levels: [Level]

  package init(flops: Double, levels: [Level]) { (self.flops, self.levels) = (flops, levels) }

  /// The least seconds that work can take if its data were used just before.
  package func seconds(of work: Work) -> Double {
    let level = levels.first { work.bytes <= $0.bytes } ?? levels.last
    return max(work.flops / flops, level.map { work.bytes / $0.bytesPerSecond } ?? 0)
  }

  /// Measures for some tens of milliseconds. The sizes are below those of common caches: L1 of 32 KiB and L2 of 1 MiB
  /// for each core, L3 of 16 MiB.
  package init(measuring pool: ThreadPool) {
    let threads = pool.threads
    let counts = [24 << 10, 512 << 10, (6 << 20) / threads, (96 << 20) / threads].map { $0 / MemoryLayout<Float>.size }
    let numbers = [Float](repeating: 0, count: (counts.max() ?? 0) * threads)
    let rounds = 400_000
    flops = Self.best(pool, each: Self.fma(rounds: 1) * Double(rounds)) { _ in _ = Self.fma(rounds: rounds) }
    levels = numbers.withUnsafeBufferPointer { numbers in
      counts.map { count in
        let passes = max((8 << 20) / count, 1)
        let bytes = Double(count * MemoryLayout<Float>.size)
        let rate = Self.best(pool, each: bytes * Double(passes)) { item in
          for _ in 0..<passes { Self.read(numbers[item * count..<(item + 1) * count]) }
        }
        return Level(bytes: bytes * Double(threads), bytesPerSecond: rate)
      }
    }
  }

  private static func fma(rounds: Int) -> Double {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 16) { out in
      out.initialize(repeating: 0)
      return ck_measure_fma_f32(rounds, out.baseAddress)
    }
  }

  private static func read(_ numbers: Slice<UnsafeBufferPointer<Float>>) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 16) { out in
      let numbers = UnsafeBufferPointer(rebasing: numbers)
      ck_measure_read_f32(numbers.baseAddress, numbers.count, out.baseAddress)
    }
  }

  /// The best rate of a few runs in which every thread does `each`.
  private static func best(_ pool: ThreadPool, each: Double, _ body: (Int) -> Void) -> Double {
    let clock = ContinuousClock()
    let seconds = (0..<5).map { _ in
      clock.measure { pool.run(pool.threads) { for item in $0 { body(item) } } } / .seconds(1)
    }
    return each * Double(pool.threads) / max(seconds.min() ?? 0, 1e-9)
  }
}
