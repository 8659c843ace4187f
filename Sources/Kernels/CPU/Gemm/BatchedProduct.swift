import CoreMLBase
import MIL

/// Equal matrix products over a batch, C = A B with rows or columns contiguous in every operand, shared out over the pool.
struct BatchedProduct: Sendable {
  /// Where one product's operands begin, in elements.
  struct Place: Sendable {
    var a: Int
    var b: Int
    var c: Int
  }

  /// How an operand lies in memory: its rows `ld` apart, or its columns when transposed.
  struct Layout: Sendable {
    let transposed: Bool
    let ld: Int

    /// The layout of a matrix with these strides, or nil when neither its rows nor its columns are contiguous.
    init?(rows: Int, columns: Int, rowStride: Int, columnStride: Int) {
      if columnStride == 1 || columns == 1 {
        guard rows == 1 || rowStride >= columns else { return nil }
        (transposed, ld) = (false, max(rows == 1 ? 0 : rowStride, columns))
      } else if rowStride == 1 || rows == 1 {
        guard columnStride >= rows else { return nil }
        (transposed, ld) = (true, columnStride)
      } else {
        return nil
      }
    }

    /// Elements from one row to the next, or one column to the next.
    var rowStep: Int { transposed ? 1 : ld }
    var columnStep: Int { transposed ? ld : 1 }
  }

  let slotA: Int
  let slotB: Int
  let rows: Int
  let columns: Int
  let depth: Int
  let a: Layout
  let b: Layout
  /// Elements between the rows of the result.
  let ldc: Int
  let places: [Place]

  func candidate(threads: Int) throws -> Candidate {
    try Refusal.unlessProduct(rows, columns, depth, a.ld, b.ld, ldc)
    guard !places.isEmpty else { throw Refusal("the batch is empty") }
    let (down, across) = ProductTiles.choose(rows: rows, columns: columns, products: places.count, threads: threads)
    let tiles = down.count * across.count
    // Products too small to be a task of their own are taken several at a time.
    let work = Double(down.size) * Double(across.size) * Double(depth)
    let grain = max(min(Int(32768 / work), places.count * tiles / (4 * threads)), 1)
    return .cpu(efficiency: BLAS.efficiency(m: rows, n: columns, k: depth)) { frame in
      let left: UnsafePointer<Float> = frame.input(slotA)
      let right: UnsafePointer<Float> = frame.input(slotB)
      let output: UnsafeMutablePointer<Float> = frame.output()
      places.withUnsafeBufferPointer { places in
        frame.pool.run(places.count * tiles, grain: grain) { items in
          for item in items {
            let place = places[item / tiles]
            let row = down[item % tiles / across.count]
            let column = across[item % across.count]
            BLAS.multiply(
              left + place.a + row.lowerBound * a.rowStep, lda: a.ld, transA: a.transposed,
              right + place.b + column.lowerBound * b.columnStep, ldb: b.ld, transB: b.transposed,
              output + place.c + row.lowerBound * ldc + column.lowerBound, ldc: ldc, m: row.count, n: column.count,
              k: depth)
          }
        }
      }
    }
  }

  /// No more products than this are listed one by one.
  static let placeLimit = 1 << 22

  /// Room for the places of so many products.
  static func admit(_ count: Int) throws {
    try MemoryBudget.current.admit(count, of: MemoryLayout<Place>.stride, for: "the places of \(count) products")
  }
}
