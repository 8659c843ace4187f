import CKernels

/// How the product of many rows by packed columns is cut: strips of rows, which are packed at each run, a pass of their numbers at a time, and stay
/// in the cache while they are multiplied, by units of the columns.
struct RowStrips: Sendable {
  private let strips: EvenPieces
  private let units: Pieces
  /// Each strip is packed by the thread that multiplies it, right before that: it is in the cache then.
  private let packsAlone: Bool
  let threads: Int
  /// What a row has of floats' places, and how many of them are packed and multiplied at once.
  private let depth: Int
  private let pass: Int
  /// Floats of a packed strip.
  private let stripFloats: Int

  /// `depth` is what a row has of floats' places; they are multiplied in passes (`ck_rows_pass`) unless sums are of one piece.
  init(rows: Int, columns: Int, depth: Int, isWhole: Bool = false, threads: Int) {
    (self.threads, self.depth) = (threads, depth)
    pass = max(isWhole ? depth : ck_rows_pass(depth), 1)
    // Weights that come from memory come once for each strip; rows beyond these are out of the cache when they are multiplied:
    // as measured with vectors of eight and of sixteen numbers. Pieces are about whole strips of the kernel's.
    let (most, unit) = Blocks.size < 16 ? (96, 12) : (224, 14)
    let least = (rows + most - 1) / most
    // As many for each thread, where they stay long enough to be worth their weights.
    let shared = (least + 2 * threads - 1) / (2 * threads) * (2 * threads)
    packsAlone = threads == 1 || rows >= most * 3 / 8 * shared
    strips = EvenPieces(rows, count: packsAlone && threads > 1 ? shared : least, unit: unit)
    let count = ck_rows_units(columns)
    let wanted = packsAlone ? 1 : (4 * threads + strips.count - 1) / strips.count
    units = Pieces(count, about: min(wanted, count))
    stripFloats = (ck_rows_packed_size(strips.size, packsAlone ? min(pass, depth) : depth) + 15) / 16 * 16
  }

  /// What `run` takes of memory.
  var scratchFloats: Int { stripFloats * (packsAlone ? threads : strips.count) }

  /// `pack` lays out the rows of the second range, counted within the strip of the first, and of those the places of the third, in the strip's memory;
  /// `multiply` takes a strip by the units of the second range, as many places as the third has, and the number of the thread, of `threads`.
  func run(
    _ pool: ThreadPool, _ scratch: UnsafeMutablePointer<Float>,
    pack: (Range<Int>, Range<Int>, Range<Int>, UnsafeMutablePointer<Float>) -> Void,
    multiply: (Range<Int>, Range<Int>, Range<Int>, UnsafePointer<Float>, Int) -> Void
  ) {
    if packsAlone {
      pool.run(strips.count, workers: threads) { items, worker in
        for item in items {
          let (rows, packed) = (strips[item], scratch + worker * stripFloats)
          passes { places in
            pack(rows, 0..<rows.count, places, packed)
            multiply(rows, 0..<units.total, places, packed, worker)
          }
        }
      }
      return
    }
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
    pool.run(strips.count * units.count, workers: threads) { items, worker in
      for item in items {
        let (rows, packed) = (strips[item % strips.count], scratch + item % strips.count * stripFloats)
        passes { places in
          multiply(rows, units[item / strips.count], places, packed + places.lowerBound * rows.count, worker)
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
