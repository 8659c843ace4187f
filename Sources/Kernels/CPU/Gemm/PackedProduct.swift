import CKernels

/// Products of two operands that are known only at run time. Rows are tiled into strips as in `PackedLinear`. The
/// columns are packed at each run, before the product.
struct PackedProduct: Sendable {
  private let product: BatchedProduct
  private let strips: GemmTiling
  private let threads: Int
  /// Whether one thread computes each whole product, because there are enough products.
  private let isByProduct: Bool
  /// fp32 elements of the packed columns, and of everything that one product packs.
  private let columnFloats: Int
  private let productFloats: Int

  /// Limit for everything that is packed at once: 64 MiB.
  private static let mostFloats = 1 << 24

  init(_ product: BatchedProduct, threads: Int) throws {
    try Refusal.unlessProduct(product.rows, product.columns, product.depth, product.a.ld, product.b.ld, product.ldc)
    guard !product.places.isEmpty else { throw Refusal("the batch is empty") }
    guard product.rows > 4 else { throw Refusal("a few rows: packing the columns is more than multiplying by them") }
    guard !product.a.transposed else { throw Refusal("the elements of a row are not contiguous") }
    func requireRoom(_ floats: Int) throws {
      guard floats <= Self.mostFloats else { throw Refusal("the operands are too large to be packed at each run") }
    }
    try requireRoom(product.depth * product.columns)
    (self.product, self.threads) = (product, threads)
    let work = Double(product.rows) * Double(product.columns) * Double(product.depth)
    guard work >= 524288 else { throw Refusal("the matrices are small: OpenBLAS multiplies them in place") }
    columnFloats = (ck_gemm_prepacked_packed_weights_size(product.depth, product.columns) + 15) / 16 * 16
    func strips(threads: Int) -> GemmTiling {
      GemmTiling(
        rows: product.rows, columns: product.columns, depth: product.depth, apart: product.a.ld, threads: threads)
    }
    let alone = columnFloats + strips(threads: 1).scratchFloats
    isByProduct = threads == 1 || product.places.count >= 4 * threads && alone * threads <= Self.mostFloats
    self.strips = strips(threads: isByProduct ? 1 : threads)
    productFloats = columnFloats + self.strips.scratchFloats
    try requireRoom(scratchFloats)
  }

  private var scratchFloats: Int { productFloats * (isByProduct ? threads : 1) }

  var candidate: Candidate {
    // The cost of packing counts as additional rows, columns and K, as measured.
    func share(_ size: Int, _ cost: Double) -> Double { Double(size) / (Double(size) + cost) }
    let efficiency = 0.95 * share(product.rows, 10) * share(product.depth, 20) * share(product.columns, 14)
    return .cpu(efficiency: efficiency, scratchBytes: 4 * scratchFloats) { run($0) }
  }

  private func run(_ frame: CPUFrame) {
    let left: UnsafePointer<Float> = frame.input(product.slotA)
    let right: UnsafePointer<Float> = frame.input(product.slotB)
    let output: UnsafeMutablePointer<Float> = frame.output()
    let scratch = frame.scratch.assumingMemoryBound(to: Float.self)
    product.places.withUnsafeBufferPointer { places in
      if isByProduct {
        frame.pool.run(places.count, workers: threads) { items, worker in
          let packed = scratch + worker * productFloats
          var last: Int?
          for item in items {
            let place = places[item]
            if place.b != last { pack(0..<ck_gemm_prepacked_units(product.columns), right + place.b, packed) }
            last = place.b
            multiply(left + place.a, packed, output + place.c, ThreadPool.caller, packed + columnFloats)
          }
        }
        return
      }
      let units = Chunks(ck_gemm_prepacked_units(product.columns), about: 2 * threads)
      for place in places {
        frame.pool.run(units.count) { items in
          for item in items { pack(units[item], right + place.b, scratch) }
        }
        multiply(left + place.a, scratch, output + place.c, frame.pool, scratch + columnFloats)
      }
    }
  }

  private func pack(_ units: Range<Int>, _ right: UnsafePointer<Float>, _ target: UnsafeMutablePointer<Float>) {
    let (columns, depth, b) = (product.columns, product.depth, product.b)
    // The kernel expects a pointer to the first column of these units.
    let first = units.lowerBound * 2 * Blocks.size * b.columnStep
    ck_gemm_prepacked_pack_weights_f32(
      depth, columns, right + first, b.rowStep, b.columnStep, 0, depth, units.lowerBound, units.upperBound, target)
  }

  private func multiply(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>,
    _ pool: ThreadPool, _ scratch: UnsafeMutablePointer<Float>
  ) {
    let (columns, depth, lda, ldc) = (product.columns, product.depth, product.a.ld, product.ldc)
    strips.run(pool, scratch) { strip, rows, along, target in
      ck_gemm_prepacked_pack_f32(
        left + strip.lowerBound * lda + along.lowerBound, lda, strip.count, along.count, 1, rows.lowerBound,
        rows.upperBound,
        target)
    } multiply: { strip, units, along, packed, _ in
      let x = packed ?? left + strip.lowerBound * lda + along.lowerBound
      var nothing = ck_epilogue(bias: nil, activation: CK_UNARY_IDENTITY, alpha: 0, beta: 0)
      ck_gemm_prepacked_product_f32(
        strip.count, columns, depth, along.lowerBound, along.upperBound, x, packed == nil ? lda : 0, right, &nothing,
        nil, 0,
        output + strip.lowerBound * ldc, ldc, 0, strip.count, units.lowerBound, units.upperBound)
    }
  }
}
