import CKernels
import COpenBLAS

/// fp32 matrix products, row-major. OpenBLAS runs only on the calling thread; kernels distribute work over their own
/// pool.
enum BLAS {
  private static let isPinned: Bool = {
    openblas_set_num_threads(1)
    return true
  }()

  /// OpenBLAS uses 32-bit integers. Sizes and leading dimensions must not exceed this.
  static let limit = Int(Int32.max)

  /// C = A B + beta C, with A [m, k] (or [k, m] if transposed), B [k, n] (or [n, k]) and C [m, n]. Leading dimensions
  /// are `lda`, `ldb` and `ldc`. All must be within `limit` (see `Refusal.unlessProduct`).
  static func multiply(
    _ a: UnsafePointer<Float>, lda: Int, transA: Bool = false, _ b: UnsafePointer<Float>, ldb: Int,
    transB: Bool = false, _ c: UnsafeMutablePointer<Float>, ldc: Int, m: Int, n: Int, k: Int,
    beta: Float = 0
  ) {
    guard m > 0, n > 0 else { return }
    // A product of one row is bound by reading B once, which OpenBLAS's sgemm does not do well.
    if m == 1, beta == 0, !transA || lda == 1 {
      if transB {
        ck_gemv_f32(b, ldb, a, k, nil, c, n, 1, n, k)
      } else {
        ck_gemv_kn_f32(b, ldb, a, k, nil, c, n, 1, n, k)
      }
      return
    }
    if n == 1, ldc == 1, beta == 0, transB || ldb == 1 {
      if transA {
        ck_gemv_kn_f32(a, lda, b, k, nil, c, m, 1, m, k)
      } else {
        ck_gemv_f32(a, lda, b, k, nil, c, m, 1, m, k)
      }
      return
    }
    if m == 1 {
      gemv(b, ldb, rows: transB ? n : k, columns: transB ? k : n, transposed: !transB, a, transA ? lda : 1, beta, c, 1)
      return
    }
    guard isPinned else { return }
    cblas_sgemm(
      CblasRowMajor, transA ? CblasTrans : CblasNoTrans, transB ? CblasTrans : CblasNoTrans, Int32(m), Int32(n),
      Int32(k),
      1, a, Int32(lda), b, Int32(ldb), beta, c, Int32(ldc))
  }

  private static func gemv(
    _ matrix: UnsafePointer<Float>, _ ld: Int, rows: Int, columns: Int, transposed: Bool, _ x: UnsafePointer<Float>,
    _ step: Int, _ beta: Float, _ y: UnsafeMutablePointer<Float>, _ stepY: Int
  ) {
    guard isPinned else { return }
    cblas_sgemv(
      CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, Int32(rows), Int32(columns), 1, matrix, Int32(ld), x,
      Int32(step), beta, y, Int32(stepY))
  }

  /// Fraction of peak that a product of these sizes reaches. Small products pay for packing and for partial tiles.
  static func efficiency(m: Int, n: Int, k: Int) -> Double {
    func share(_ size: Int, _ cost: Double) -> Double { Double(size) / (Double(size) + cost) }
    return 0.85 * share(m, 12) * share(n, 16) * share(k, 16)
  }
}

extension Refusal {
  /// Refuses sizes beyond OpenBLAS's limit, and empty products.
  static func unlessProduct(_ sizes: Int...) throws {
    guard sizes.allSatisfy({ $0 >= 1 && $0 <= BLAS.limit }) else {
      throw Refusal("the product of sizes \(sizes) is empty or too large")
    }
  }
}
