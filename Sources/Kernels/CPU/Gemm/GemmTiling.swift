import CKernels
import Glibc

/// How the product of many rows by packed columns is cut: strips of rows, which stay in the cache while they are multiplied, a pass of their numbers at a
/// time, by units of the columns. Rows are read where they lie, or are packed at each run: where they must become other numbers, and where so
/// many of them share places of the first-level cache that they would drive each other out.
struct GemmTiling: Sendable {
  private let strips: EvenChunks
  private let units: Chunks
  /// A strip is one thread's, with all units; where strips are packed, it packs them right before: they are in the cache then.
  private let ownsStrips: Bool
  private let packs: Bool
  let threads: Int
  /// What a row has of floats' places, and how many of them are multiplied at once.
  private let depth: Int
  private let pass: Int
  /// Floats of a packed strip.
  private let stripFloats: Int

  /// `depth` is what a row has of floats' places, which are multiplied in passes (`ck_gemm_prepacked_pass`) unless sums are of one piece. `apart` is the distance
  /// between the numbers of neighbouring rows, where these may be read as they lie.
  init(rows: Int, columns: Int, depth: Int, apart: Int?, isWhole: Bool = false, threads: Int) {
    (self.threads, self.depth) = (threads, depth)
    pass = max(isWhole ? depth : ck_gemm_prepacked_pass(depth), 1)
    let count = ck_gemm_prepacked_units(columns)
    packs = apart.map { $0 <= 0 || Self.crowd($0) && count > 3 } ?? true
    // Weights that come from memory come once for each strip; rows beyond these are out of the cache when they are multiplied:
    // as measured with vectors of eight and of sixteen numbers. Pieces are about whole strips of the kernel's.
    let (most, unit) = Blocks.size < 16 ? (96, 12) : (224, 14)
    let least = (rows + most - 1) / most
    // As many for each thread, where they stay long enough to be worth their weights.
    let shared = (least + 2 * threads - 1) / (2 * threads) * (2 * threads)
    ownsStrips = threads == 1 || rows >= most * 3 / 8 * shared
    strips = EvenChunks(rows, count: ownsStrips && threads > 1 ? shared : least, unit: unit)
    let wanted = ownsStrips ? 1 : (4 * threads + strips.count - 1) / strips.count
    units = Chunks(count, about: min(wanted, count))
    let packed = ck_gemm_prepacked_packed_size(strips.size, ownsStrips ? min(pass, depth) : depth)
    stripFloats = packs ? (packed + 15) / 16 * 16 : 0
  }

  /// Whether rows so far apart drive each other out of the first-level cache, whose places repeat after 4,096 bytes: of the fourteen that are read
  /// together seven or all share them. Where a place has twelve ways, packing them costs more than that, as measured.
  private static func crowd(_ apart: Int) -> Bool { Blocks.size >= 16 && apart % 512 == 0 && waysOfCache < 12 }

  /// 0: the system does not say.
  private static let waysOfCache = sysconf(Int32(_SC_LEVEL1_DCACHE_ASSOC))

  /// What `run` takes of memory.
  var scratchFloats: Int { stripFloats * (ownsStrips ? threads : strips.count) }

  /// `pack` lays out the rows of the second range, counted within the strip of the first, and of those the places of the third, in the strip's memory;
  /// `multiply` takes a strip by the units of the second range, as many places as the third has, packed or, without a pointer, as they lie, and
  /// the number of the thread, of `threads`.
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
      // A single strip is packed by all threads as well.
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

  /// Without numbers to multiply, one pass gives what is added to them.
  private func passes(_ body: (Range<Int>) -> Void) {
    var first = 0
    repeat {
      let end = min(first + pass, depth)
      body(first..<end)
      first = end
    } while first < depth
  }
}
