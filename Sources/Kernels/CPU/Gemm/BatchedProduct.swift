import CoreMLBase
import MIL

/// Equal matrix products over a batch, C = A B, distributed over the pool. Each operand has contiguous rows or columns.
struct BatchedProduct: Sendable {
  /// Offsets of one product's operands, in elements.
  struct Place: Sendable {
    var a: Int
    var b: Int
    var c: Int
  }

  /// The layout of an operand. `ld` is the distance of its rows, or of its columns if transposed, in elements.
  struct Layout: Sendable {
    let transposed: Bool
    let ld: Int

    /// The layout of a matrix with these strides. Nil if neither its rows nor its columns are contiguous.
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

    /// Elements from one row to the next, and from one column to the next.
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
    // Products too small for a task of their own are grouped.
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

  /// Limit for the products that are listed one by one.
  static let placeLimit = 1 << 22

  /// Charges the memory budget for the offsets of `count` products.
  static func admit(_ count: Int) throws {
    try MemoryBudget.current.admit(count, of: MemoryLayout<Place>.stride, for: "the places of \(count) products")
  }
}
