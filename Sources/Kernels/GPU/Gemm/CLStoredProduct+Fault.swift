extension CLStoredProduct {
  /// The error of warp kernels for products of a few rows. Nil if all results are right. It tests work-groups with one
  /// and with several column blocks, and values of K below and above what a work-group reads at once. A compile error
  /// counts as an error.
  static func fault(on context: OpenCLContext, _ warps: CLWarps) -> String? {
    do {
      for (m, n, k) in [(16, 21, 1032), (9, 64, 40), (5, 16 * context.device.computeUnits * 4 + 9, 72)] {
        let shape = CLMatrixProduct.Shape(m: m, n: n, k: k, transposeB: true)
        let fault = try ProductCheck.fault(shape, .f16, on: context) { queue, a, b, c in
          try CLStoredProduct(context, Matrix(f16: b), m: m, n: n, k: k, f16: .first, by: warps)
            .enqueue(on: queue, a: a, c: c)
        }
        if let fault { return fault }
      }
      return nil
    } catch { return "\(error)" }
  }
}
