import CKernels
import Glibc

/// How the GEMM of many rows by packed columns is tiled. A strip of rows stays in the cache while it is multiplied by
/// units of columns, one K block (pass) at a time. Rows are read in place, or packed at each run. They are packed if
/// their elements must be converted, or if they would evict each other from the same L1 sets.
struct GemmTiling: Sendable {
  private let strips: EvenChunks
  private let units: Chunks
  /// Whether one thread multiplies a strip by all units. It then packs the strip just before, so that the strip is in
  /// the cache.
  private let ownsStrips: Bool
  private let packs: Bool
  let threads: Int
  /// K in 32-bit lanes, and the lanes of one pass.
  private let depth: Int
  private let pass: Int
  /// Size of a packed strip in 32-bit lanes.
  private let stripFloats: Int

  /// - Parameters:
  ///   - depth: K in 32-bit lanes. It is multiplied in passes (`ck_gemm_prepacked_pass`), unless `isWhole`.
  ///   - apart: the distance of adjacent rows in elements, if the rows may be read in place.
  ///   - isWhole: whether K must not be split.
  init(rows: Int, columns: Int, depth: Int, apart: Int?, isWhole: Bool = false, threads: Int) {
    (self.threads, self.depth) = (threads, depth)
    pass = max(isWhole ? depth : ck_gemm_prepacked_pass(depth), 1)
    let count = ck_gemm_prepacked_units(columns)
    packs = apart.map { $0 <= 0 || Self.crowd($0) && count > 3 } ?? true
    // The weights are read from memory once for each strip. Rows beyond `most` leave the cache before they are
    // multiplied, as measured with vectors of 8 and 16 elements. The strips are multiples of the kernel's register
    // tile.
    let (most, unit) = Blocks.size < 16 ? (96, 12) : (224, 14)
    let least = (rows + most - 1) / most
    // The same number of strips for each thread, if the strips stay long enough to amortize reading the weights.
    let shared = (least + 2 * threads - 1) / (2 * threads) * (2 * threads)
    ownsStrips = threads == 1 || rows >= most * 3 / 8 * shared
    strips = EvenChunks(rows, count: ownsStrips && threads > 1 ? shared : least, unit: unit)
    let wanted = ownsStrips ? 1 : (4 * threads + strips.count - 1) / strips.count
    units = Chunks(count, about: min(wanted, count))
    let packed = ck_gemm_prepacked_packed_size(strips.size, ownsStrips ? min(pass, depth) : depth)
    stripFloats = packs ? (packed + 15) / 16 * 16 : 0
  }

  /// Whether rows this far apart evict each other from L1, whose set index repeats every 4,096 bytes. Of the 14 rows
  /// that are read concurrently, seven or all then share sets. In a cache of 12 ways, packing costs more than the
  /// evictions, as measured.
  private static func crowd(_ apart: Int) -> Bool { Blocks.size >= 16 && apart % 512 == 0 && waysOfCache < 12 }

  /// 0 if the system does not report it.
  private static let waysOfCache = sysconf(Int32(_SC_LEVEL1_DCACHE_ASSOC))

  /// Scratch memory of `run`, in 32-bit lanes.
  var scratchFloats: Int { stripFloats * (ownsStrips ? threads : strips.count) }

  /// - Parameters:
  ///   - pack: packs into the strip's memory. Its arguments are the strip, a range of rows within the strip, a range
  ///     along K, and the target.
  ///   - multiply: multiplies a strip by a range of units over a range along K. Its last arguments are the packed
  ///     strip, or nil to read the rows in place, and the thread's index below `threads`.
  func run(
    _ pool: ThreadPool, _ scratch: UnsafeMutablePointer<Float>,
    pack: (Range<Int>, Range<Int>, Range<Int>, UnsafeMutablePointer<Float>) -> Void,
    multiply: (Range<Int>, Range<Int>, Range<Int>, UnsafePointer<Float>?, Int) -> Void
  ) {
    if ownsStrips {
      pool.run(strips.count, workers: threads) { items, worker in
        for item in items {
          let (rows, packed) = (strips[item], packs ? scratch + worker * stripFloats : nil)
          passes { places in
            if let packed { pack(rows, 0..<rows.count, places, packed) }
            multiply(rows, 0..<units.total, places, packed.map { UnsafePointer($0) }, worker)
          }
        }
      }
      return
    }
    if packs {
      // All threads share the packing, even of a single strip.
      let parts = (2 * threads + strips.count - 1) / strips.count
      pool.run(strips.count * parts) { items in
        for item in items {
          let (strip, part) = (item / parts, item % parts)
          let rows = strips[strip]
          let own = rows.count * part / parts..<rows.count * (part + 1) / parts
          pack(rows, own, 0..<depth, scratch + strip * stripFloats)
        }
      }
    }
    pool.run(strips.count * units.count, workers: threads) { items, worker in
      for item in items {
        let (rows, packed) = (strips[item % strips.count], scratch + item % strips.count * stripFloats)
        passes { places in
          let numbers = packs ? UnsafePointer(packed + places.lowerBound * rows.count) : nil
          multiply(rows, units[item / strips.count], places, numbers, worker)
        }
      }
    }
  }

  /// With K = 0 one pass still runs, because it writes the epilogue.
  private func passes(_ body: (Range<Int>) -> Void) {
    var first = 0
    repeat {
      let end = min(first + pass, depth)
      body(first..<end)
      first = end
    } while first < depth
  }
}
